#!/bin/sh
# PyTorch 2.13.0: copy.deepcopy of a leaf tensor copies its .grad. copy.deepcopy of an nn.Parameter
# with the same numbers does not, so a deep copy of a model has no gradients. A hook of the tensor
# or of the parameter is not copied, and a forward hook of the module is.
# The guess was that both copies have the gradient, and that hooks are copied in all cases or in none.
#
# Seen:
#     tensor     grad tensor([2.])  copy tensor([2.])
#     parameter  grad tensor([2.])  copy None
#     module     grad tensor([[2.]])  copy None
#     calls after one pass through the copy: forward hook 1, hook of the weight 0
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile numpy==2.4.6 torch==2.13.0
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import copy

import torch

tensor = torch.ones(1, requires_grad=True)
parameter = torch.nn.Parameter(torch.ones(1))
module = torch.nn.Linear(1, 1, bias=False)
(tensor * 2).backward()
(parameter * 2).backward()
module(torch.full((1, 1), 2.0)).backward()

print("tensor    ", tensor.grad, copy.deepcopy(tensor).grad)
print("parameter ", parameter.grad, copy.deepcopy(parameter).grad)
print("module    ", module.weight.grad, copy.deepcopy(module).weight.grad)
assert copy.deepcopy(tensor).grad.item() == 2
assert copy.deepcopy(parameter).grad is None
assert copy.deepcopy(module).weight.grad is None

calls = []
module.register_forward_hook(lambda *_: calls.append("forward"))
module.weight.register_hook(lambda _: calls.append("weight"))
copy.deepcopy(module)(torch.ones(1, 1)).backward()
print("calls of the copy:", calls)
assert calls == ["forward"]
END
