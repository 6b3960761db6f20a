#!/bin/sh
# PyTorch 2.13.0: torch.cdist(x, y) can be differentiated twice if x or y has more than 25 rows, and
# raises an error otherwise. Its default compute_mode then uses a matrix product, which has
# a second derivative. compute_mode="use_mm_for_euclid_dist" works for all numbers of rows.
# The guess was that the number of rows does not matter.
#
# Seen:
#     25 rows  the derivative for '_cdist_backward' is not implemented.
#     26 rows  works
#     25 rows, use_mm_for_euclid_dist  works
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile numpy==2.4.6 torch==2.13.0
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import torch

torch.manual_seed(0)


def penalty(rows, **settings):
    """Return "works" or the error of a second derivative."""
    x = torch.randn(rows, 2, requires_grad=True)
    distances = torch.cdist(x, torch.zeros(3, 2), **settings)
    (gradient,) = torch.autograd.grad(distances.square().sum(), x, create_graph=True)
    try:
        gradient.square().sum().backward()
    except RuntimeError as error:       # NotImplementedError is a RuntimeError
        return str(error)
    return "works"


product = {"compute_mode": "use_mm_for_euclid_dist"}
print("25 rows ", penalty(25))
print("26 rows ", penalty(26))
print("25 rows, use_mm_for_euclid_dist ", penalty(25, **product))
assert "_cdist_backward" in penalty(25)
assert penalty(26) == penalty(25, **product) == "works"
END
