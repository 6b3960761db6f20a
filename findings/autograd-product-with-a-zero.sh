#!/bin/sh
# autograd 1.9.1: the gradient of numpy.prod is nan at an element that is 0, because it is computed as
# the product divided by the element. The gradient of det raises an error for a singular matrix, because it is
# computed with the inverse. Both gradients are finite in mathematics.
# The guess was the finite gradient.
#
# Seen:
#     prod of [0, 2, 3]        [nan, 0.0, 0.0]  in mathematics [6, 0, 0]
#     det of [[1, 2], [2, 4]]  Singular matrix  in mathematics [[4, -2], [-2, 1]]
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile numpy==2.4.6 autograd==1.9.1
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import math
import warnings

import autograd.numpy as numpy
from autograd import grad

warnings.simplefilter("ignore", RuntimeWarning)     # 0 / 0
gradient = grad(numpy.prod)(numpy.array([0.0, 2.0, 3.0])).tolist()
print("prod", gradient)
assert math.isnan(gradient[0])
try:
    grad(numpy.linalg.det)(numpy.array([[1.0, 2.0], [2.0, 4.0]]))
except numpy.linalg.LinAlgError as error:
    print("det ", error)
else:
    raise AssertionError("det raised nothing")
END
