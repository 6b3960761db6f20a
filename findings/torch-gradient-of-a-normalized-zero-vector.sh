#!/bin/sh
# PyTorch 2.13.0: F.normalize of a vector of zeros returns zeros. Its gradient is 1e12, because the
# vector is divided by the smallest allowed norm, 1e-12. One row of zeros in a batch therefore
# makes the norm of all gradients about 1e12, and clip_grad_norm_ then scales the others to nearly 0.
# F.cosine_similarity with such a vector has a gradient of about 6e7.
# The guess was a gradient of zeros, as for the norm itself.
#
# Seen:
#     norm               [0.0, 0.0, 0.0]
#     normalize          [999999995904.0, 0.0, 0.0]
#     cosine_similarity  [57735028.0, 57735028.0, 57735028.0]
#     gradient of the other row after clipping to a norm of 1: 4.0e-13
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile numpy==2.4.6 torch==2.13.0
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import torch
import torch.nn.functional as F


def gradient(function):
    x = torch.zeros(3, requires_grad=True)
    function(x).backward()
    return x.grad.tolist()


norm = gradient(torch.linalg.vector_norm)
first = gradient(lambda x: F.normalize(x, dim=0)[0])
cosine = gradient(lambda x: F.cosine_similarity(x, torch.ones(3), dim=0))
print("norm              ", norm)
print("normalize         ", first)
print("cosine_similarity ", cosine)
assert norm == [0.0, 0.0, 0.0]
assert abs(first[0] - 1e12) < 1e6 and first[1:] == [0.0, 0.0]
assert all(5e7 < slope < 6e7 for slope in cosine)

rows = torch.nn.Parameter(torch.tensor([[0.0, 0.0], [1.0, 2.0]]))
F.normalize(rows)[:, 0].sum().backward()
torch.nn.utils.clip_grad_norm_([rows], 1.0)
left = rows.grad[1].norm().item()
print("gradient of the other row after clipping to a norm of 1:", left)
assert left < 1e-11
END
