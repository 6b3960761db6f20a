"""Summing back: the gradient of an input that was broadcast is summed over the copies."""
from __future__ import annotations

from ..tensor import Tensor
from .summation import add_reduce, add_up


def sum_to(grad, shape):
    """Sum `grad` (array or tensor) over the dimensions that `shape` lacks or has as 1; the result has that shape."""
    given = grad._array.shape if isinstance(grad, Tensor) else grad.shape
    lead = len(given) - len(shape)
    kept = [lead + i for i, n in enumerate(shape) if n == 1 and given[lead + i] != 1]
    dims = (*range(lead), *kept)
    if isinstance(grad, Tensor):
        if not shape:
            return grad.sum()
        if dims:
            grad = grad.sum(dims, keepdim=True)
        return grad.view(shape) if lead else grad
    if grad.dtype.kind == "f" and shape and dims and not kept:
        return add_up(grad, dims)                   # a bias, say: nothing to put back
    if dims:
        grad = add_up(grad, dims, True) if grad.dtype.kind == "f" else add_reduce(grad, axis=dims, keepdims=True)
    return grad.reshape(shape)
