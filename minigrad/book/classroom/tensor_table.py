"""A table of tensors: whether each requires a gradient, is a leaf, holds a gradient, and what made it."""
from __future__ import annotations

import warnings
from typing import Any


def tensor_table(**tensors: Any) -> None:
    """Print a line for each tensor: `tensor_table(a=a, c=c)`. A gradient is shown by its shape."""
    print("    requires_grad  is_leaf  .grad    grad_fn")
    for name, tensor in tensors.items():
        with warnings.catch_warnings():  # a tensor that is not a leaf warns when its .grad is read
            warnings.simplefilter("ignore")
            grad = tensor.grad
        held = "None" if grad is None else str(tuple(grad.shape))
        made_by = tensor.grad_fn.name() if tensor.grad_fn else "None"
        print(f"{name:4}{tensor.requires_grad!s:15}{tensor.is_leaf!s:9}{held:9}{made_by}")
