"""Copies in another order or number: repeat, flip, roll, rotate, triangles, padding, grids."""
from __future__ import annotations

import itertools

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..autograd.inplace import in_place
from ..memory import by_rows, copy_in_order, empty_in_order
from ..errors import dim_range, not_implemented_for, whole_number
from ..tensor import Tensor, wrap, wrap_new
from ..errors import warn_once
from . import (indexing, joining, reductions, shape)  # noqa
from .either import zeros_beside
from .shape import sizes_of

# --- repetition ---------------------------------------------------------------------------------------------


def _repeat_backward(grad, repeats, self_shape):
    """The gradient summed over all copies of each element."""
    if 0 in repeats:
        return zeros_beside(grad, self_shape)
    lead = len(repeats) - len(self_shape)
    for _ in range(lead):
        grad = reductions._sum_dim(grad, (0,), False, None)
    sizes, copies = [], []
    for times, size in zip(repeats[lead:], self_shape):
        if times != 1:
            copies.append(len(sizes))
            sizes.append(times)
        sizes.append(size)
    if not copies:
        return grad
    return reductions._sum_dim(shape._reshape(grad, tuple(sizes)), tuple(copies), False, None)


@differentiable("RepeatBackward0",
                self=lambda grad, repeats, self_shape: _repeat_backward(grad, repeats, self_shape))
def _repeat(self, repeats):
    return np.tile(self, repeats)


def repeat(self, *repeats, **keywords):
    """The tensor, copied side by side so often along each dimension."""
    if not repeats and "repeats" not in keywords:
        raise TypeError('repeat() missing 1 required positional arguments: "repeats"')
    repeats = sizes_of(repeats, keywords.get("repeats"))
    sizes = self._array.shape
    if len(repeats) < len(sizes):
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of "
                           "dimensions of tensor")
    result = [n * m for n, m in zip((1,) * (len(repeats) - len(sizes)) + sizes, repeats)]
    if min(result, default=0) < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(result)}: {result}")
    return _repeat(self, repeats)


def tile(self, *dims, **keywords):
    """`repeat` that counts missing numbers as 1."""
    dims = sizes_of(dims, keywords.get("dims"))
    return repeat(self, (1,) * (self._array.ndim - len(dims)) + dims)


# --- another order ------------------------------------------------------------------------------------------

@differentiable("FlipBackward0", self=lambda grad, dims: _flip(grad, dims))
def _flip(self, dims):
    places = [dim_range(d, self.ndim) for d in dims]
    for i, place in enumerate(places):
        if place in places[:i]:
            raise RuntimeError(f"dim {place} appears multiple times in the list of dims")
    result = empty_in_order(self, self.dtype)
    result[...] = np.flip(self, places) if self.ndim else self
    return result


def flip(self, *dims, **keywords):
    """A copy in reverse order along some dimensions."""
    if not dims and "dims" not in keywords:
        raise TypeError('flip() missing 1 required positional arguments: "dims"')
    return _flip(self, sizes_of(dims, keywords.get("dims")))


# --- triangles ----------------------------------------------------------------------------------------------


def triangle_indices(name, function):
    def indices(row, col, offset=0, *, dtype=None, device=None):
        for what, n in (("row", row), ("col", col)):
            if n < 0:
                raise RuntimeError(f"{what} must be non-negative, got{n}")
        kind = dtypes.INT64 if dtype is None else dtype.numpy
        return wrap_new(np.array(function(row, offset, col), kind))

    indices.__name__ = indices.__qualname__ = name
    indices.__doc__ = "The row and column numbers of a triangle of a matrix, as two rows."
    return indices


tril_indices = triangle_indices("tril_indices", np.tril_indices)
triu_indices = triangle_indices("triu_indices", np.triu_indices)


# --- padding ------------------------------------------------------------------------------------------------


# --- grids and choices --------------------------------------------------------------------------------------

MESHGRID_INDEXING = ("torch.meshgrid: in an upcoming release, it will be required to pass the indexing "
                     "argument.")


METHODS = """
tile flip
"""
METHODS_ONLY = """
repeat
"""
OPERATORS = {}
FUNCTIONS_ONLY = """
tril_indices triu_indices
"""
