#!/bin/sh
# PyTorch 2.13.0: the gradient of torch.linalg.det at a singular matrix is zeros, without a warning. With
# create_graph=True, which should only add a graph, the same call returns the right gradient.
# The guess was the right gradient in both calls.
#
# Seen, for [[1, 2], [2, 4]], where mathematics gives [[4, -2], [-2, 1]]:
#     backward or grad         [[0.0, -0.0], [-0.0, 0.0]]
#     grad, create_graph=True  [[4.0, -2.0], [-2.0, 1.0]], rounded to 6 digits
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile numpy==2.4.6 torch==2.13.0
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import torch


def gradient(**settings):
    x = torch.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(torch.linalg.det(x), x, **settings)
    return slope.detach().round(decimals=6).tolist()


print("grad                    ", gradient())
print("grad, create_graph=True ", gradient(create_graph=True))
assert gradient() == [[0.0, 0.0], [0.0, 0.0]]
assert gradient(create_graph=True) == [[4.0, -2.0], [-2.0, 1.0]]
END
