#!/bin/sh
# PyTorch 2.13.0: at zero, four functions have a right first derivative, which is finite, and a second
# derivative that is wrong. x ** p has two mixed second derivatives, which differ: 0 if x comes first
# and nan if p comes first.
# The guesses were the second derivatives of mathematics.
#
# Seen:
#     function     at             second derivative  in mathematics
#     abs(x) ** 2  0              0                  2
#     norm(x) ** 2 (0, 0)         nan                2 on the diagonal
#     sinc(x)      0              nan                -3.29
#     x ** p       x = 0, p = 2   0 and nan          0
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile numpy==2.4.6 torch==2.13.0
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import math

import torch


def second(function, *numbers):
    """Return the matrix of the second derivatives of a function of several numbers."""
    x = [torch.tensor(number, dtype=torch.float64, requires_grad=True) for number in numbers]
    first = torch.autograd.grad(function(*x), x, create_graph=True)
    assert all(math.isfinite(slope.item()) for slope in first)
    return [[row.item() for row in torch.autograd.grad(slope, x, retain_graph=True)] for slope in first]


absolute = second(lambda x: x.abs() ** 2, 0.0)
norm = second(lambda a, b: torch.stack([a, b]).norm() ** 2, 0.0, 0.0)
sinc = second(torch.sinc, 0.0)
power = second(lambda x, p: x ** p, 0.0, 2.0)
print("abs(x) ** 2 ", absolute)
print("norm(x) ** 2", norm)
print("sinc(x)     ", sinc)
print("x ** p      ", power)
assert absolute == [[0.0]]
assert all(math.isnan(number) for row in norm for number in row)
assert math.isnan(sinc[0][0])
assert power[0] == [2.0, 0.0]
assert math.isnan(power[1][0])
END
