#!/bin/sh
# autograd 1.9.1 with NumPy 2.4.6: a function that uses plain `import numpy` in place of
# `import autograd.numpy` can be differentiated: sums, means, standard deviations, dot, exp, array and
# products with an array on the left. math.sqrt raises an error.
# The guess was an error for each of them, because its documentation asks for the other import.
#
# Seen, at [1, 2]:
#     sum [1.0, 1.0]  std [-0.5, 0.5]  exp [2.718, 7.389]  dot [3.0, 4.0]  left [3.0, 4.0]  array [3.0, 3.0]
#     math.sqrt  must be real number, not ArrayBox
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile numpy==2.4.6 autograd==1.9.1
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import math

import numpy
from autograd import grad

point = numpy.array([1.0, 2.0])
other = numpy.array([3.0, 4.0])
functions = {
    "sum": numpy.sum,
    "std": numpy.std,
    "exp": lambda x: numpy.sum(numpy.exp(x)),
    "dot": lambda x: numpy.dot(other, x),
    "left": lambda x: numpy.sum(other * x),
    "array": lambda x: numpy.sum(numpy.array([x, 2 * x])),
}
expected = {
    "sum": [1, 1], "std": [-0.5, 0.5], "exp": numpy.exp(point), "dot": other, "left": other, "array": [3, 3],
}
for name, function in functions.items():
    gradient = grad(function)(point)
    print(name, gradient.tolist())
    assert numpy.allclose(gradient, expected[name])

try:
    grad(math.sqrt)(4.0)
except TypeError as error:
    print("math.sqrt ", error)
else:
    raise AssertionError("math.sqrt raised nothing")
END
