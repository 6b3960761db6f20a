"""Gradients of operations that pick elements: what was picked gets the gradient, everything else 0."""
from __future__ import annotations

import numpy as np

from ..memory import by_rows
from ..tensor import Tensor, wrap
from . import shape


def picked(grad, dim, indices, sizes, keepdim):
    """The gradient of one element picked along `dim` (max, median, kthvalue), laid where it came from."""
    if not isinstance(grad, Tensor) and len(sizes) == 1:
        result = np.zeros(sizes, grad.dtype)        # the commonest case, without the detour
        try:
            result[indices] = grad
        except IndexError:
            refuse_numbers(indices)
            indexing.check_bounds(indices, 0, sizes[0])
            raise
        return result
    if not keepdim and sizes:
        grad, indices = shape.unsqueeze(grad, dim), shape.unsqueeze(indices, dim)
    return scattered(grad, dim, indices, sizes)


def scattered(grad, dim, indices, sizes):
    """Zeros of shape `sizes` with `grad` at `indices` along `dim`."""
    if isinstance(grad, Tensor):
        return scatter._scatter_src(zeros(sizes, grad), dim, indices, grad)
    result = np.zeros(sizes, grad.dtype)
    refuse_numbers(indices)
    if sizes:
        indexing.check_bounds(indices, dim % len(sizes), sizes[dim])     # somebody may have replaced them
        np.put_along_axis(result, indices, grad, dim)
    else:
        result[...] = grad
    return result


def refuse_numbers(indices):
    """Saved indices may come back from a hook as something else."""
    if indices.dtype.kind == "f":
        raise RuntimeError("scatter(): Expected dtype int32/int64 for index")


def scattered_sum(grad, dim, indices, sizes):
    """The same where one place may be picked several times: its gradients add up."""
    if isinstance(grad, Tensor):
        return scatter._scatter_add(zeros(sizes, grad), dim, indices, grad)
    result = np.zeros(sizes, grad.dtype)
    refuse_numbers(indices)
    if not sizes:
        return result + grad
    places = [np.arange(n).reshape([-1 if i == axis else 1 for i in range(len(sizes))])
              for axis, n in enumerate(indices.shape)]
    places[dim] = indices
    np.add.at(result, tuple(places), grad)
    return result


def shared_evenly(grad, mask):
    """The gradient divided equally among the places of `mask`: the elements that share the maximum."""
    if isinstance(grad, Tensor):
        return masks._masked_fill_tensor(zeros(mask._array.shape, grad), mask, grad / mask.sum())
    share = grad / np.add.reduce(mask, axis=None, dtype=grad.dtype)
    return np.where(by_rows(mask), share, np.zeros((), grad.dtype))


def zeros(sizes, like):
    return wrap(np.zeros(sizes, like._array.dtype))


def zeroed(x, mask):
    """`x` with 0 where `mask` is true: where a formula gives nan, and the derivative is taken to be 0."""
    if isinstance(x, Tensor):
        return masks._masked_fill_(x, mask, 0)      # written over x, which is new: so its layout stays
    return np.where(mask, np.zeros((), x.dtype), x)


from . import indexing, masks, scatter  # noqa: E402  (indexing first: the three import each other)
