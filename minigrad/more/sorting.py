"""Numbers in order: sort, topk and median.

The gradient goes back to where the numbers came from.
"""
import numpy as np

from ..autograd.operation import differentiable
from ..errors import dim_range
from ..ops.declaring import check_dtype, numpy_names
from ..ops.extremes import (
    RESULTS,
    check_not_empty,
    found_backward,
    named_result,
    picked_backward,
)

SORT, TOPK, MEDIAN = named_result("sort"), named_result("topk"), named_result("median")


# --- on arrays ------------------------------------------------------------------------

def sorted_with_places(array, dim, descending):
    """Return the numbers in order, nan as the largest, and the places they came from.

    Equal numbers keep their order.
    """
    if not array.ndim:
        return array.copy(), np.zeros((), np.int64)
    if descending:
        backwards = np.flip(array, dim).argsort(dim, kind="stable")
        places = array.shape[dim] - 1 - np.flip(backwards, dim)
    else:
        places = array.argsort(dim, kind="stable")
    return np.take_along_axis(array, places, dim), places


def median_with_place(array, dim, keepdim):
    """Return the lower one of the middle two numbers, or the first nan if any is."""
    check_dtype(array, "b", "median_out")
    results = sorted_with_places(array, dim, False)
    if not array.ndim:
        return results
    count = array.shape[dim]
    nans = np.isnan(array).sum(dim, keepdims=True)
    middle = np.where(nans > 0, count - nans, (count - 1) // 2)
    results = [np.take_along_axis(one, middle, dim) for one in results]
    return results if keepdim else [one.squeeze(dim) for one in results]


# --- operations -----------------------------------------------------------------------

def placed_backward(grad, self_shape, dim, indices):
    return picked_backward(grad, self_shape, dim, indices, True)


@differentiable("SortBackward0", RESULTS, self=placed_backward)
def _sort(self, dim, descending):
    return sorted_with_places(self, dim, descending)


@differentiable("TopkBackward0", RESULTS, self=placed_backward)
def _topk(self, k, dim, largest):
    results = sorted_with_places(self, dim, largest)
    return [one.take(range(k), dim) if one.ndim else one for one in results]


@differentiable("MedianBackward1", RESULTS, self=picked_backward)
def _median_dim(self, dim, keepdim):
    return median_with_place(self, dim, keepdim)


@differentiable("MedianBackward0", self=found_backward)
def _median(self):
    check_dtype(self, "b", "median_cpu")
    if not self.size:
        return np.asarray(np.nan, self.dtype)
    return median_with_place(self.reshape(-1), 0, False)[0]


@numpy_names
def sort(self, dim=-1, descending=False, *, stable=True):
    """Return (values, indices) in order along `dim`; nan comes after all numbers.

        torch.tensor([3., 1., 2.]).sort().indices           # tensor([1, 2, 0])

    Equal numbers always keep their order, also without ``stable=True``.
    """
    dim_range(dim, self._array.ndim)
    return SORT(*_sort(self, dim, descending))


@numpy_names
def topk(self, k, dim=-1, largest=True, sorted=True):
    """Return (values, indices) of the k largest, or smallest, numbers along `dim`.

        torch.tensor([3., 1., 2.]).topk(2).values           # tensor([3., 2.])

    They are in order, also with ``sorted=False``, which asks for any order.
    """
    sizes = self._array.shape or (1,)
    if not 0 <= k <= sizes[dim_range(dim, self._array.ndim)]:
        raise RuntimeError("selected index k out of range")
    return TOPK(*_topk(self, k, dim, largest))


@numpy_names
def median(self, dim=None, keepdim=False):
    """Return the middle number, the lower one of two; along `dim` (values, indices)."""
    if dim is None:
        return _median(self)
    check_not_empty(self._array, dim, "median")
    return MEDIAN(*_median_dim(self, dim, keepdim))


METHODS = "sort topk median"
