#!/bin/sh
# PyTorch 2.13.0: torch.autograd.grad(y, x, eye, is_grads_batched=True) computes one gradient for each
# row of `eye`. A tensor hook is called once for all rows, with a tensor that has the shape of one row. print
# of this tensor in the hook raises an error about a stack of tensors, and .tolist() raises one about
# a data pointer.
# The guess was one call for each row, with ordinary tensors.
#
# Seen, for three rows:
#     shapes that the hook received: [(3,)]
#     print     stack expects each tensor to be equal size, but got [0] at entry 0 and [1] at entry 1
#     tolist    Cannot access data pointer of Tensor that doesn't have storage
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile numpy==2.4.6 torch==2.13.0
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import torch


def rows(hook):
    x = torch.arange(3.0, requires_grad=True)
    y = x * 2
    y.register_hook(hook)
    return torch.autograd.grad(y * y, x, torch.eye(3), is_grads_batched=True)[0]


shapes = []
jacobian = rows(lambda gradient: shapes.append(tuple(gradient.shape)))
print("shapes that the hook received:", shapes)
assert shapes == [(3,)]
assert jacobian.tolist() == [[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 16.0]]

for name, hook in ("print", lambda gradient: print(gradient)), ("tolist", lambda gradient: print(gradient.tolist())):
    try:
        rows(hook)
    except RuntimeError as error:
        print(name, str(error)[:100])
    else:
        raise AssertionError(f"{name} raised nothing")
END
