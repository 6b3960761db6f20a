"""The largest, the smallest, the middle, the most frequent: max, amax, argmax, median, mode, kthvalue."""
from __future__ import annotations

import numpy as np

from .. import dtypes, return_types
from ..autograd.differentiable import differentiable
from ..memory import by_rows
from ..messages import only_bool, whole_number
from ..tensor import Tensor
from .choosing import picked, shared_evenly
from .dims import dims_of, one_dim, respelled
from .either import shape_of
from .operands import not_bool
from .reduction import NOT_GIVEN, _sum_dim

INT64 = dtypes.INT64


# --- max and min --------------------------------------------------------------------------------------------

def _all_gradient(grad, self, result):
    """Elements that share the extreme value share its gradient."""
    return shared_evenly(grad, self != self if is_nan(result) else self == result)


def is_nan(result):
    value = (result._array if isinstance(result, Tensor) else np.asarray(result)).item()
    return value != value


@differentiable("MaxBackward1", self=_all_gradient)
def _max(self):
    return np.maximum.reduce(self, axis=None)


@differentiable("MinBackward1", self=_all_gradient)
def _min(self):
    return np.minimum.reduce(self, axis=None)


def _picked_gradient(grad, self_shape, dim, indices, keepdim):
    return picked(grad, dim, indices, self_shape, keepdim)


@differentiable("MaxBackward0", outputs=("values", "indices"), self=_picked_gradient)
def _max_dim(self, dim, keepdim):
    if not self.ndim:
        return self.copy(), np.zeros((), INT64)
    return by_rows(np.maximum.reduce(self, dim, None, None, keepdim)), places(self.argmax(dim), dim, keepdim)


@differentiable("MinBackward0", outputs=("values", "indices"), self=_picked_gradient)
def _min_dim(self, dim, keepdim):
    if not self.ndim:
        return self.copy(), np.zeros((), INT64)
    return by_rows(np.minimum.reduce(self, dim, None, None, keepdim)), places(self.argmin(dim), dim, keepdim)


def places(indices, dim, keepdim):
    return np.expand_dims(indices, dim) if keepdim else indices


def max(self, dim=NOT_GIVEN, keepdim=False, *, other=None, **names):
    """The largest element; along `dim` (values, indices), of equal ones the first; with a tensor, `maximum`.

    Without `dim`, equal largest elements share the gradient; with it, the one that was picked gets it all.

    Raises:
        RuntimeError, IndexError: there is nothing to choose from.
    """
    if dim is NOT_GIVEN and other is None and keepdim is False and not names:
        if self._array.size == 0:
            raise nothing_to_reduce("max", RuntimeError)
        return _max(self)
    if names:
        return respelled(max, "max", names, self, dim, keepdim, other=other)
    if isinstance(dim, Tensor) and keepdim is False or other is not None:
        return pairs.maximum(self, dim if other is None else other)
    return return_types.max(_max_dim(self, checked_dim(self, dim, "max", keepdim), keepdim))


def min(self, dim=NOT_GIVEN, keepdim=False, *, other=None, **names):
    """The smallest element; along `dim` (values, indices), of equals the first; with a tensor, `minimum`."""
    if dim is NOT_GIVEN and other is None and keepdim is False and not names:
        if self._array.size == 0:
            raise nothing_to_reduce("min", RuntimeError)
        return _min(self)
    if names:
        return respelled(min, "min", names, self, dim, keepdim, other=other)
    if isinstance(dim, Tensor) and keepdim is False or other is not None:
        return pairs.minimum(self, dim if other is None else other)
    return return_types.min(_min_dim(self, checked_dim(self, dim, "min", keepdim), keepdim))


def nothing_to_reduce(name, error):
    return error(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                 "reduction dim with the 'dim' argument.")


def checked_dim(self, dim, name, keepdim=False):
    """The dimension as given, if it exists and has elements to choose from."""
    only_bool(keepdim)
    sizes = self._array.shape
    place = one_dim(dim, len(sizes))
    if sizes and sizes[place] == 0:
        spelled = name if name == "aminmax" else f"{name}()"
        raise IndexError(f"{spelled}: Expected reduction dim {place} to have non-zero size.")
    return dim if type(dim) is int else place


# --- amax, amin ---------------------------------------------------------------------------------------------

def _shared_gradient(grad, self, result, dim, keepdim):
    sizes = shape_of(self)
    if not keepdim:
        grad, result = restored(grad, sizes, dim), restored(result, sizes, dim)
    mask = result == self
    if isinstance(mask, Tensor):
        return (grad / _sum_dim(mask, dim, True)) * mask
    return (grad / np.add.reduce(mask, axis=dim or None, keepdims=True, dtype=self.dtype)) * mask


def restored(x, sizes, dim):
    """The reduced dimensions as dimensions of size 1 again."""
    reduced = {d % len(sizes) for d in dim} if dim else range(len(sizes))
    return shape._reshape(x, tuple([1 if i in reduced else n for i, n in enumerate(sizes)]))


@differentiable("AmaxBackward0", self=_shared_gradient)
def _amax(self, dim, keepdim):
    return by_rows(np.maximum.reduce(self, axis=dim or None, keepdims=keepdim))


@differentiable("AminBackward0", self=_shared_gradient)
def _amin(self, dim, keepdim):
    return by_rows(np.minimum.reduce(self, axis=dim or None, keepdims=keepdim))


def amax(self, dim=(), keepdim=False, **names):
    """The largest element along dimension(s), all of them by default; equal ones share the gradient."""
    if names:
        return respelled(amax, "amax", names, self, dim, keepdim)
    return _amax(self, checked_dims(self, dim, "amax", keepdim), keepdim)


def amin(self, dim=(), keepdim=False, **names):
    """The smallest element along dimension(s), all of them by default; equal ones share the gradient."""
    if names:
        return respelled(amin, "amin", names, self, dim, keepdim)
    return _amin(self, checked_dims(self, dim, "amin", keepdim), keepdim)


def checked_dims(self, dim, name, keepdim):
    only_bool(keepdim)
    sizes = self._array.shape
    dim = dims_of(dim, len(sizes))
    if not dim and self._array.size == 0:
        raise nothing_to_reduce(name, RuntimeError)
    for d in dim:
        if sizes[d] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")
    return dim


def _both_gradient(grads, self, dim, keepdim, max, min):
    total = None
    for grad, result in zip(grads, (min, max)):
        if grad is not None:
            part = _shared_gradient(grad, self, result, () if dim is None else (dim,), keepdim)
            total = part if total is None else total + part
    return total


@differentiable("AminmaxBackward0", outputs=("min", "max"), self=_both_gradient)
def _aminmax(self, dim, keepdim):
    return tuple([by_rows(choose.reduce(self, axis=dim, keepdims=keepdim))
                  for choose in (np.minimum, np.maximum)])


def aminmax(self, *, dim=None, keepdim=False):
    """(min, max), of all elements or along `dim`."""
    only_bool(keepdim)
    if dim is None:
        if not self._array.size:
            raise RuntimeError("aminmax(): cannot compute aminmax over an empty dimension as the operation "
                               "has no identity.")
    elif self._array.ndim:
        dim = checked_dim(self, dim, "aminmax")
    else:
        one_dim(dim, 0)
        dim = None
    return return_types.aminmax(_aminmax(self, dim, keepdim))


# --- where they are -----------------------------------------------------------------------------------------

@differentiable("ArgmaxBackward0", self=None)
def _argmax(self, dim, keepdim):
    return np.asarray(self.argmax(dim, keepdims=keepdim)) if self.ndim else np.zeros((), INT64)


@differentiable("ArgminBackward0", self=None)
def _argmin(self, dim, keepdim):
    return np.asarray(self.argmin(dim, keepdims=keepdim)) if self.ndim else np.zeros((), INT64)


def argmax(self, dim=None, keepdim=False, **names):
    """Where the largest element is: in the flattened tensor, or along `dim`; of equal ones the first."""
    if names:
        return respelled(argmax, "argmax", names, self, dim, keepdim)
    return _argmax(self, arg_dim(self, dim, "argmax", keepdim), keepdim)


def argmin(self, dim=None, keepdim=False, **names):
    """Where the smallest element is: in the flattened tensor, or along `dim`; of equal ones the first."""
    if names:
        return respelled(argmin, "argmin", names, self, dim, keepdim)
    return _argmin(self, arg_dim(self, dim, "argmin", keepdim), keepdim)


def arg_dim(self, dim, name, keepdim):
    only_bool(keepdim)
    if self._array.dtype.kind == "b":
        raise RuntimeError(f"{name}(): does not support bool input")
    if dim is not None:
        return checked_dim(self, dim, name)
    if not self._array.size:
        raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
    return None


# --- the middle ---------------------------------------------------------------------------------------------

def kth(self, k, dim, keepdim):
    """The k-th smallest (from 0; an array of k's for each place is fine) along `dim`, and where it is."""
    order = self.argsort(axis=dim, kind="stable")
    k = np.broadcast_to(k, tuple([1 if i == dim % self.ndim else n for i, n in enumerate(self.shape)]))
    indices = np.take_along_axis(order, k, dim)
    values = np.take_along_axis(self, indices, dim)
    if not keepdim:
        values, indices = values.squeeze(dim), indices.squeeze(dim)
    return by_rows(values), by_rows(indices)


def selected(self, k, dim, keepdim):
    """`kth` for one k; of equal elements the one that PyTorch's quickselect comes upon."""
    values, indices = kth(self, k, dim, True)
    if np.add.reduce(self == values, axis=dim).max(initial=0) > 1:
        for row, found in zip(np.moveaxis(self, dim, -1).reshape(-1, self.shape[dim]),
                              np.ndindex(*np.moveaxis(indices, dim, -1).shape[:-1])):
            np.moveaxis(indices, dim, -1)[found] = quickselect(row.tolist(), k)
    if not keepdim:
        values, indices = values.squeeze(dim), indices.squeeze(dim)
    return by_rows(values), by_rows(indices)


def quickselect(numbers, k):
    """Where the k-th smallest was before Hoare's partitions, each around the median of three, moved it."""
    order, first, last = list(range(len(numbers))), 0, len(numbers) - 1

    def above(a, b):
        return a != a and b == b or a > b

    def swap(i, j):
        numbers[i], numbers[j], order[i], order[j] = numbers[j], numbers[i], order[j], order[i]

    def sort_two(i, j):
        if above(numbers[i], numbers[j]):
            swap(i, j)

    while last > first + 1:
        swap((first + last) // 2, first + 1)
        sort_two(first + 1, last)
        sort_two(first, last)
        sort_two(first + 1, first)
        i, j, pivot = first + 1, last, numbers[first]
        while True:
            i, j = i + 1, j - 1
            while above(pivot, numbers[i]):
                i += 1
            while above(numbers[j], pivot):
                j -= 1
            if j < i:
                break
            swap(i, j)
        swap(first, j)
        first, last = i if j <= k else first, j - 1 if j >= k else last
    if last == first + 1:
        sort_two(first, last)
    return order[k]


def middle(self, dim, keepdim, ignore_nan):
    """The lower of the middle two; NaN if there is one, unless it is ignored."""
    not_bool(self, "median_out")
    if not self.ndim:
        return self.copy(), np.zeros((), INT64)
    count = self.shape[dim]
    missing = np.add.reduce(self != self, axis=dim, keepdims=True, dtype=INT64)
    if ignore_nan:
        return kth(self, np.maximum(count - missing - 1, 0) // 2, dim, keepdim)
    # NaN sorts last: where there is one, take the first of them
    return kth(self, np.where(missing > 0, count - missing, (count - 1) // 2), dim, keepdim)


def middle_of_all(self, ignore_nan):
    not_bool(self, "median_cpu")
    if not self.size:
        return np.asarray(np.nan if self.dtype.kind == "f" else np.iinfo(self.dtype).min, self.dtype)
    return middle(self.reshape(-1), 0, False, ignore_nan)[0]


@differentiable("MedianBackward0", self=_all_gradient)
def _median(self):
    return middle_of_all(self, False)


@differentiable("NanmedianBackward0", self=_all_gradient)
def _nanmedian(self):
    return middle_of_all(self, True)


@differentiable("MedianBackward1", outputs=("values", "indices"), self=_picked_gradient)
def _median_dim(self, dim, keepdim):
    return middle(self, dim, keepdim, False)


@differentiable("NanmedianBackward1", outputs=("values", "indices"), self=_picked_gradient)
def _nanmedian_dim(self, dim, keepdim):
    return middle(self, dim, keepdim, True)


def median(self, dim=NOT_GIVEN, keepdim=False):
    """The middle element, the lower one of two; along `dim` (values, indices)."""
    if dim is NOT_GIVEN and keepdim is False:
        return _median(self)
    return return_types.median(_median_dim(self, checked_dim(self, dim, "median", keepdim), keepdim))


def nanmedian(self, dim=NOT_GIVEN, keepdim=False):
    """The middle of the elements that are not NaN."""
    if dim is NOT_GIVEN and keepdim is False:
        return _nanmedian(self)
    return return_types.nanmedian(_nanmedian_dim(self, checked_dim(self, dim, "median", keepdim), keepdim))


# --- other elements by rank ---------------------------------------------------------------------------------

@differentiable("KthvalueBackward0", outputs=("values", "indices"), self=_picked_gradient)
def _kthvalue(self, k, dim, keepdim):
    not_bool(self, "kthvalue_cpu")
    return selected(self, k - 1, dim, keepdim) if self.ndim else (self.copy(), np.zeros((), INT64))


def kthvalue(self, k, dim=-1, keepdim=False):
    """(values, indices) of the k-th smallest elements along `dim`, counted from 1."""
    only_bool(keepdim)
    place, k = one_dim(dim, self._array.ndim), whole_number(k)
    if self._array.ndim and not self._array.shape[place]:
        raise IndexError(f"kthvalue(): Expected reduction dim {place} to have non-zero size.")
    if not 1 <= k <= (self._array.shape[place] if self._array.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {place}")
    return return_types.kthvalue(_kthvalue(self, k, dim, keepdim))


@differentiable("ModeBackward0", outputs=("values", "indices"), self=_picked_gradient)
def _mode(self, dim, keepdim):
    if not self.ndim:
        return self.copy(), np.zeros((), INT64)
    rows = np.moveaxis(self, dim, -1)
    indices = np.empty(rows.shape[:-1], INT64)
    for place in np.ndindex(*rows.shape[:-1]):
        values, counts = np.unique(rows[place], return_counts=True, equal_nan=False)
        found = np.flatnonzero(rows[place] == values[counts.argmax()])
        indices[place] = found[-1] if found.size else 0         # nothing but nan, none of which is another
    indices = np.expand_dims(indices, dim)
    values = np.take_along_axis(self, indices, dim)
    return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))


def mode(self, dim=-1, keepdim=False):
    """(values, indices) of the most frequent elements along `dim`; of equally frequent ones the smallest."""
    return return_types.mode(_mode(self, checked_dim(self, dim, "mode", keepdim), keepdim))


METHODS = "max min amax amin aminmax argmax argmin median nanmedian kthvalue mode"

from . import pairs, shape  # noqa: E402
