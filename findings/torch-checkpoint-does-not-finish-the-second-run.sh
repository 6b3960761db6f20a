#!/bin/sh
# PyTorch 2.13.0: checkpoint(f, x, use_reentrant=False) runs f again in the backward pass, and only as
# far as the last tensor that has to be saved. A line at the end of f that counts or prints runs once.
# Each further backward pass through a retained graph begins f again.
# The guess was that every line of f runs twice, and that a second backward pass adds no run.
#
# Seen:
#     after the forward pass         first line 1, last line 1
#     after one backward pass        first line 2, last line 1
#     after a second backward pass   first line 3, last line 1
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --no-compile numpy==2.4.6 torch==2.13.0
cd "$folder"
"$folder/venv/bin/python" - <<'END'
import torch
from torch.utils.checkpoint import checkpoint

runs = {"first line": 0, "last line": 0}


def block(x):
    runs["first line"] += 1
    result = (x * x).sin() + 1      # the addition saves nothing
    runs["last line"] += 1
    return result


x = torch.ones(1, requires_grad=True)
y = checkpoint(block, x, use_reentrant=False)
print("after the forward pass        ", runs)
assert list(runs.values()) == [1, 1]
y.backward(retain_graph=True)
print("after one backward pass       ", runs)
assert list(runs.values()) == [2, 1]
y.backward()
print("after a second backward pass  ", runs)
assert list(runs.values()) == [3, 1]
END
