"""Functions from the time before tensors and variables were one; old code still calls them."""
from __future__ import annotations

import math

from .function import Function


class Resize(Function):
    """``Resize.apply(x, sizes)``: another shape for as many numbers."""

    @staticmethod
    def forward(ctx, tensor, sizes):
        if tensor.numel() != math.prod(sizes):
            raise RuntimeError(
                f"requested resize to {'x'.join(map(str, sizes))} ({math.prod(sizes)} elements in total), "
                f"but the given tensor has a size of {'x'.join(map(str, tensor.size()))} ({tensor.numel()} "
                "elements). autograd's resize can only change the shape of a given tensor, while preserving "
                "the number of elements. ")
        ctx.input_sizes = tensor.size()
        return tensor.detach().contiguous().view(*sizes)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.contiguous().view(ctx.input_sizes), None


Resize.__module__ = "torch.autograd._functions.tensor"
