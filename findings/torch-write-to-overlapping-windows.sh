#!/bin/sh
# PyTorch 2.13.0: y.expand(...).mul_(2) raises an error, because several elements share one place in
# memory. y.unfold(0, 2, 1) has such elements, too, and its mul_(2) raises nothing: the number in the
# middle belongs to two windows and is doubled twice. Its gradient is 2, as if it had been doubled
# once. gradcheck finds the difference.
# The guess was the error of expand.
#
# Seen, for y = [1, 2, 3]:
#     expand  unsupported operation: more than one element of the written-to tensor refers to a single ...
#     unfold  y [2.0, 8.0, 6.0]  gradient [2.0, 2.0, 2.0]  gradcheck False
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile numpy==2.4.6 torch==2.13.0
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import torch


def windows(x):
    y = x.clone()
    y.unfold(0, 2, 1).mul_(2)
    return y


try:
    torch.ones(1).expand(3).mul_(2)
except RuntimeError as error:
    print("expand ", str(error)[:80], "...")
    assert "single memory location" in str(error)
else:
    raise AssertionError("no error from expand")

x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
y = windows(x)
y.sum().backward()
right = torch.autograd.gradcheck(windows, x, raise_exception=False)
print("unfold ", y.tolist(), x.grad.tolist(), "gradcheck", right)
assert y.tolist() == [2.0, 8.0, 6.0]
assert x.grad.tolist() == [2.0, 2.0, 2.0]
assert not right
END
