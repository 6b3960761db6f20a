#!/bin/sh
# PyTorch 2.13.0: y[[0, 0]] = v writes two numbers to one place, and one of them remains. The gradient
# of y.sum() is 1 for both, also for the number that was overwritten. index_copy and scatter
# behave alike. mygrad 2.5.0 gives 0 to the number that was overwritten.
# The guess was a gradient of 1 for the number that remains and 0 for the other one.
#
# Seen, for v = [1, 2]:
#     torch   y[0] = 2.0  gradient of v [1.0, 1.0], for an assignment, index_copy and scatter
#     mygrad  y[0] = 2.0  gradient of v [0.0, 1.0]
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile numpy==2.4.6 torch==2.13.0 mygrad==2.5.0
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import mygrad
import torch

index = torch.tensor([0, 0])


def assign(y, v):
    y[index] = v
    return y


for write in assign, lambda y, v: y.index_copy(0, index, v), lambda y, v: y.scatter(0, index, v):
    v = torch.tensor([1.0, 2.0], requires_grad=True)
    y = write(torch.zeros(3), v)
    y.sum().backward()
    print("torch ", y[0].item(), v.grad.tolist())
    assert y[0].item() in (1.0, 2.0)
    assert v.grad.tolist() == [1.0, 1.0]

v = mygrad.tensor([1.0, 2.0])
y = mygrad.zeros(3)
y[[0, 0]] = v
y.sum().backward()
print("mygrad", y.data[0], v.grad.tolist())
assert v.grad.tolist() == [0.0, 1.0]
END
