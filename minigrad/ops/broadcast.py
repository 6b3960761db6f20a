"""Summing back: the gradient of an input that was broadcast is summed over the copies."""
from __future__ import annotations

from numpy import array, asarray

from ..tensor import Tensor
from .summation import add_reduce, add_up


def sum_to(grad, shape):
    """`grad` (array or tensor) in this shape: summed over the dimensions that `shape` lacks or has as 1."""
    given = grad._array.shape if isinstance(grad, Tensor) else grad.shape
    lead = len(given) - len(shape)
    dims = tuple(range(lead)) if lead else ()
    for i, n in enumerate(shape, lead):
        if n == 1 and given[i] != 1:
            dims += i,
    if isinstance(grad, Tensor):
        if not shape:
            return grad.sum()
        if dims:
            grad = grad.sum(dims, keepdim=True)
        return grad.view(shape) if lead else grad
    if dims:
        keepdim = len(dims) > lead      # not for a bias, say, which has nothing to put back
        grad = (add_up(grad, dims, keepdim) if grad.dtype.kind == "f" else
                add_reduce(grad, axis=dims, keepdims=keepdim))
        if not lead or not shape:       # then it is no view, and may not show as one
            return array(grad) if grad.base is not None else asarray(grad)
    return grad.reshape(shape) if lead else grad
