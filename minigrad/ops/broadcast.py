"""Summing back: the gradient of an input that was broadcast is summed over the copies."""
from __future__ import annotations

import numpy as np

from ..tensor import Tensor


def sum_to(grad, shape):
    """Sum `grad` (array or tensor) over the dimensions that `shape` lacks or has as 1; the result has that shape."""
    given = grad._array.shape if isinstance(grad, Tensor) else grad.shape
    lead = len(given) - len(shape)
    dims = (*range(lead), *[lead + i for i, n in enumerate(shape) if n == 1 and given[lead + i] != 1])
    if isinstance(grad, Tensor):
        if dims:
            grad = grad.sum(dims, keepdim=True)
        return grad.view(shape) if lead else grad
    if dims:
        grad = np.add.reduce(grad, axis=dims, keepdims=True)
    return grad.reshape(shape)
