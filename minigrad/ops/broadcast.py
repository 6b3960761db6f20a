"""Summing back: the gradient of an input that was broadcast is summed over the copies."""
import numpy as np

from ..tensor import Tensor

add_reduce = np.add.reduce


def sum_to(grad, shape):
    """`grad` (array or tensor) in this shape: summed over the dimensions that `shape` lacks or has as 1."""
    given = grad._array.shape if isinstance(grad, Tensor) else grad.shape
    lead = len(given) - len(shape)
    dims = (*range(lead), *[i for i, n in enumerate(shape, lead) if n == 1 and given[i] != 1])
    if isinstance(grad, Tensor):
        if not shape:
            return grad.sum()
        grad = grad.sum(dims, keepdim=True) if dims else grad
        return grad.view(shape) if lead else grad
    if dims:
        grad = np.asarray(add_reduce(grad, axis=dims, keepdims=len(dims) > lead))
    return grad.reshape(shape) if lead else grad
