#!/bin/sh
# PyTorch 2.13.0: z = y * y saves y. If y is then changed in place, z.backward() raises an error,
# because the version of y is not the one that was saved. With saved_tensors_hooks(same, same), where
# the function `same` returns the tensor that it receives, there is no error, and the gradient is
# computed from the changed numbers. save_on_cpu() behaves alike for a tensor that is on the CPU.
# The guess was that a pair of hooks that changes nothing changes nothing.
#
# Seen, for z = y * y with y = 2 * x and x = [1, 2], where the gradient is [8, 16]:
#     without hooks  one of the variables needed for gradient computation has been modified ...
#     same, same     [12.0, 20.0]
#     save_on_cpu    [12.0, 20.0]
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile numpy==2.4.6 torch==2.13.0
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import contextlib

import torch
from torch.autograd.graph import save_on_cpu, saved_tensors_hooks


def same(tensor):
    return tensor


def gradient(context):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with context:
        y = 2 * x
        z = y * y
    y.add_(1)
    z.sum().backward()
    return x.grad.tolist()


try:
    gradient(contextlib.nullcontext())
except RuntimeError as error:
    print("without hooks ", str(error)[:75], "...")
    assert "modified by an inplace operation" in str(error)
else:
    raise AssertionError("no error without hooks")
print("same, same    ", gradient(saved_tensors_hooks(same, same)))
print("save_on_cpu   ", gradient(save_on_cpu()))
assert gradient(saved_tensors_hooks(same, same)) == [12.0, 20.0]
assert gradient(save_on_cpu()) == [12.0, 20.0]
END
