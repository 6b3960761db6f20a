"""Numbers in order: sort, topk and median. Their gradients go to where the numbers came from."""
import numpy as np

from ..autograd.operation import differentiable
from ..errors import dim_range
from .elementwise import declare, refuse
from .expansion import ALL_DIMS
from .extremes import check_not_empty, found_backward, named_result, picked_backward

SORT, TOPK, MEDIAN = named_result("sort"), named_result("topk"), named_result("median")
RESULTS = "values", "indices"


def placed_backward(grad, self_shape, dim, indices):
    return picked_backward(grad, self_shape, dim, indices, True)


@differentiable("SortBackward0", RESULTS, self=placed_backward)
def _sort(self, dim, descending):
    """Return values and places in order; nan is the largest, and equal numbers keep their order."""
    if not self.ndim:
        return self.copy(), np.zeros((), np.int64)
    if descending:
        backwards = np.flip(self, dim).argsort(dim, kind="stable")
        indices = self.shape[dim] - 1 - np.flip(backwards, dim)
    else:
        indices = self.argsort(dim, kind="stable")
    return np.take_along_axis(self, indices, dim), indices


@differentiable("TopkBackward0", RESULTS, self=placed_backward)
def _topk(self, k, dim, largest):
    results = _sort.operation.forward(self, dim, largest)
    return [x.take(range(k), dim) if x.ndim else x for x in results]


@differentiable("MedianBackward1", RESULTS, self=picked_backward)
def _median_dim(self, dim, keepdim):
    values, indices = _sort.operation.forward(refuse("b", self, "median_out"), dim, False)
    if not self.ndim:
        return values, indices
    # the lower one of the middle two; the first nan where there is one
    count, nans = self.shape[dim], np.isnan(self).sum(dim, keepdims=True)
    middle = np.where(nans > 0, count - nans, (count - 1) // 2)
    results = [np.take_along_axis(x, middle, dim) for x in (values, indices)]
    return results if keepdim else [x.squeeze(dim) for x in results]


_median = declare("MedianBackward0", lambda self: (
    _median_dim.operation.forward(self.reshape(-1), 0, False)[0] if self.size else
    np.asarray(np.nan, self.dtype)), self=found_backward)


def sort(self, dim=-1, descending=False):
    """Return (values, indices) in order along `dim`; nan comes after all numbers."""
    dim_range(dim, self._array.ndim)
    return SORT(*_sort(self, dim, descending))


def topk(self, k, dim=-1, largest=True):
    """Return (values, indices) of the k largest (or smallest) numbers along `dim`, in order."""
    sizes = self._array.shape or (1,)
    if not 0 <= k <= sizes[dim_range(dim, self._array.ndim)]:
        raise RuntimeError("selected index k out of range")
    return TOPK(*_topk(self, k, dim, largest))


def median(self, dim=ALL_DIMS, keepdim=False):
    """Return the middle number, the lower one of two; along `dim` (values, indices)."""
    if dim is ALL_DIMS:
        return _median(self)
    check_not_empty(self._array, dim, "median")
    return MEDIAN(*_median_dim(self, dim, keepdim))


METHODS = "sort topk median"
