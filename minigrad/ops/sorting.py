"""Numbers in order: sort, argsort, topk and median.

The results are numbers of the input; the gradient of each goes to the place that it came from.
"""
from __future__ import annotations

import numpy as np

from ..autograd.operation import differentiable
from ..errors import dim_range
from . import return_types
from .elementwise import refuse
from .expansion import ALL_DIMS
from .extremes import check_not_empty, found_backward, picked_backward


def placed_backward(grad, self_shape, dim, indices):
    return picked_backward(grad, self_shape, dim, indices, True)


def in_order(self, dim, descending):
    """Return values and places in order; nan is the largest, and equal numbers keep their order."""
    if not self.ndim:
        return self.copy(), np.zeros((), np.int64)
    if descending:
        backwards = np.flip(self, dim).argsort(dim, kind="stable")
        indices = self.shape[dim] - 1 - np.flip(backwards, dim)
    else:
        indices = self.argsort(dim, kind="stable")
    return np.take_along_axis(self, indices, dim), indices


RESULTS = "values", "indices"
_sort = differentiable("SortBackward0", RESULTS, self=placed_backward)(in_order)
_sort_stable = differentiable("SortBackward1", RESULTS, self=placed_backward)(in_order)


@differentiable("TopkBackward0", RESULTS, self=placed_backward)
def _topk(self, k, dim, largest):
    return [x.take(range(k), dim) if x.ndim else x for x in in_order(self, dim, largest)]


@differentiable("MedianBackward0", self=found_backward)
def _median(self):
    if not self.size:
        return np.asarray(np.nan, self.dtype)
    return _median_dim.operation.forward(self.reshape(-1), 0, False)[0]


@differentiable("MedianBackward1", RESULTS, self=picked_backward)
def _median_dim(self, dim, keepdim):
    values, indices = in_order(refuse("b", self, "median_out"), dim, False)
    if not self.ndim:
        return values, indices
    # the lower one of the middle two; the first nan where there is one
    count, nans = self.shape[dim], np.isnan(self).sum(dim, keepdims=True)
    middle = np.where(nans > 0, count - nans, (count - 1) // 2)
    results = [np.take_along_axis(x, middle, dim) for x in (values, indices)]
    return results if keepdim else [x.squeeze(dim) for x in results]


def sort(self, dim=-1, descending=False, stable=None):
    """Return (values, indices) in order along `dim`; nan comes after all numbers."""
    dim_range(dim, self._array.ndim)
    return return_types.sort((_sort if stable is None else _sort_stable)(self, dim, descending))


def argsort(self, dim=-1, descending=False, stable=False):
    """Return the places of the numbers in order along `dim`."""
    return sort(self, dim, descending)[1]


def topk(self, k, dim=-1, largest=True, sorted=True):
    """Return (values, indices) of the k largest (or smallest) numbers along `dim`, in order."""
    sizes = self._array.shape or (1,)
    if not 0 <= k <= sizes[dim_range(dim, self._array.ndim)]:
        raise RuntimeError("selected index k out of range")
    return return_types.topk(_topk(self, k, dim, largest))


def median(self, dim=ALL_DIMS, keepdim=False):
    """Return the middle number, the lower one of two; along `dim` (values, indices)."""
    if dim is ALL_DIMS:
        return _median(self)
    check_not_empty(self._array, dim, "median")
    return return_types.median(_median_dim(self, dim, keepdim))


METHODS = "sort argsort topk median"
