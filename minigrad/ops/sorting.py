"""Elements in order: sort, topk, quantile; distinct ones, counted ones, places in a sorted list."""
from __future__ import annotations

import numpy as np

from .. import dtypes, return_types
from ..arguments import handing_on
from ..autograd.differentiable import differentiable
from ..memory import in_first_order
from ..messages import not_implemented_for, only_bool, whole_number
from ..tensor import Tensor, wrap
from .choosing import scattered
from .dims import one_dim
from .operands import float_only

INT64 = dtypes.INT64


def ordered(self, dim, descending):
    """Values and places in order; NaN counts as larger than all else, equal elements stay in their order."""
    if not self.ndim:
        return self.copy(), np.zeros((), INT64)
    if descending:
        count = self.shape[dim]
        indices = count - 1 - np.flip(np.flip(self, dim).argsort(axis=dim, kind="stable"), dim)
    else:
        indices = self.argsort(axis=dim, kind="stable")
    values = np.take_along_axis(self, indices, dim)
    if self.flags.c_contiguous:
        return values, indices
    return in_first_order(values, self), in_first_order(indices, self)      # laid out as the tensor was


def _placed_gradient(grad, self_shape, dim, indices):
    return scattered(grad, dim, indices, self_shape)


@differentiable("SortBackward0", outputs=("values", "indices"), self=_placed_gradient)
def _sort(self, dim, descending):
    return ordered(self, dim, descending)


@differentiable("SortBackward1", outputs=("values", "indices"), self=_placed_gradient)
def _sort_stable(self, stable, dim, descending):
    return ordered(self, dim, descending)


@differentiable("TopkBackward0", outputs=("values", "indices"), self=_placed_gradient)
def _topk(self, k, dim, largest, sorted):
    values, indices = ordered(self, dim, largest)
    if not self.ndim:
        return values, indices
    first = (slice(None),) * (dim % self.ndim) + (slice(k),)
    return values[first].copy(), indices[first].copy()


def sort(self, dim=-1, descending=False, stable=None):
    """(values, indices) in order along `dim`."""
    only_bool(descending)
    one_dim(dim, self._array.ndim)
    if stable is None:
        return return_types.sort(_sort(self, dim, descending))
    return return_types.sort(_sort_stable(self, stable, dim, descending))


def argsort(self, dim=-1, descending=False, stable=False):
    """The places of the elements in order along `dim`."""
    return sort(self, dim, descending)[1]


def msort(self):
    """The values sorted along the first dimension."""
    return sort(self, 0)[0]


def topk(self, k, dim=-1, largest=True, sorted=True):
    """(values, indices) of the k largest (or smallest) elements along `dim`, in order."""
    place, k = one_dim(dim, self._array.ndim), whole_number(k)
    only_bool(largest)
    only_bool(sorted)
    if self._array.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    if not 0 <= k <= (self._array.shape[place] if self._array.ndim else 1):
        raise RuntimeError("selected index k out of range")
    return return_types.topk(_topk(self, k, dim, largest, sorted))


# --- distinct elements --------------------------------------------------------------------------------------

def no_gradient(name):
    """In place of a formula that does not exist."""
    def formula(grad):
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")
    return formula


@differentiable("Unique2Backward0", outputs=("values", "inverse", "counts"), self=no_gradient("_unique2"))
def _unique(self):
    values, inverse, counts = np.unique(self.reshape(-1), return_inverse=True, return_counts=True,
                                        equal_nan=False)
    return values, inverse.reshape(self.shape), counts


@differentiable("UniqueDimBackward0", outputs=("values", "inverse", "counts"), self=no_gradient("unique_dim"))
def _unique_dim(self, dim):
    values, inverse, counts = np.unique(self, axis=dim, return_inverse=True, return_counts=True)
    return values, inverse.reshape(-1), counts


@handing_on("_unique2", "self sorted= return_inverse= return_counts=")
def unique(self, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The distinct elements, sorted; or the distinct slices along `dim`.

    On request also, for every element which of them it is, and how often each occurs.
    """
    only_bools("_unique2", sorted=sorted, return_inverse=return_inverse, return_counts=return_counts)
    results = _unique(self) if dim is None else _unique_dim(self, one_dim(dim, self._array.ndim))
    return chosen_of(results, return_inverse, return_counts)


@differentiable("UniqueConsecutiveBackward0", outputs=("values", "inverse", "counts"),
                self=no_gradient("unique_consecutive"))
def _unique_consecutive(self, dim):
    array = self.reshape(-1) if dim is None else np.moveaxis(self, dim, 0)
    new = np.ones(len(array), bool)
    if len(array) > 1:
        changed = array[1:] != array[:-1]
        new[1:] = changed if changed.ndim == 1 else changed.reshape(len(array) - 1, -1).any(1)
    values = array[new] if dim is None else np.moveaxis(array[new], 0, dim)
    inverse = np.cumsum(new) - 1
    return (np.ascontiguousarray(values), inverse.reshape(self.shape) if dim is None else inverse,
            np.diff(np.append(np.flatnonzero(new), len(array))))


def unique_consecutive(self, return_inverse=False, return_counts=False, dim=None):
    """The elements with repeats of the one before left out."""
    only_bools("unique_consecutive", return_inverse=return_inverse, return_counts=return_counts)
    results = _unique_consecutive(self, None if dim is None else one_dim(dim, self._array.ndim))
    return chosen_of(results, return_inverse, return_counts)


def only_bools(function, **choices):
    for name, value in choices.items():
        if not isinstance(value, bool):
            raise TypeError(f"{function}(): argument '{name}' must be bool, not {type(value).__name__}")


def chosen_of(results, return_inverse, return_counts):
    chosen = tuple([r for r, want in zip(results, (True, return_inverse, return_counts)) if want])
    return chosen if len(chosen) > 1 else chosen[0]


# --- counting -----------------------------------------------------------------------------------------------

def bincount(self, weights=None, minlength=0):
    """How often each number from 0 on occurs in a vector of whole numbers; or the sum of its weights."""
    array = self._array
    if array.dtype.kind == "f":
        raise not_implemented_for("bincount_cpu", array.dtype)
    if array.ndim != 1 or (array.size and array.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if weights is None:
        return wrap(np.bincount(array, minlength=minlength).astype(INT64, copy=False))
    counted = np.bincount(array, weights._array, minlength)
    kind = weights._array.dtype
    return wrap(counted.astype(kind if kind == np.float32 else np.float64))


def histc(self, bins=100, min=0, max=0):
    """How many elements fall into each of `bins` equal bins between min and max (0 and 0: of the data)."""
    array = self._array
    float_only(array, "histogram_cpu")
    low, high = float(min), float(max)
    if low == high and array.size:
        low, high = float(array.min()), float(array.max())
    if low == high:
        low, high = low - 1, high + 1
    inside = array[(array >= low) & (array <= high)]
    places = np.minimum(((inside - low) / (high - low) * bins).astype(INT64), bins - 1)
    return wrap(np.bincount(places, minlength=bins).astype(array.dtype))


def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None):
    """Where each value would go into a sorted sequence (its last dimension) so that it stays sorted."""
    right = right or side == "right"
    sequence = sorted_sequence._array
    number = not isinstance(input, Tensor)
    values = np.asarray(input) if number else input._array
    if sorter is not None:
        sequence = np.take_along_axis(sequence, sorter._array, -1)
    side = "right" if right else "left"
    if sequence.ndim == 1:
        places = np.searchsorted(sequence, values, side)
    else:
        if sequence.shape[:-1] != values.shape[:-1]:
            raise RuntimeError(
                "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions "
                f"of boundaries tensor and input value tensor must match, but we got boundaries tensor "
                f"{list(sequence.shape)} and input value tensor {list(values.shape)}")
        places = np.empty(values.shape, INT64)
        for i in np.ndindex(*values.shape[:-1]):
            places[i] = np.searchsorted(sequence[i], values[i], side)
    return wrap(np.asarray(places).astype(np.int32 if out_int32 else INT64))


def bucketize(input, boundaries, *, out_int32=False, right=False):
    """In which of the intervals between sorted boundaries each value lies."""
    if boundaries._array.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries._array.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


# --- quantiles ----------------------------------------------------------------------------------------------

def quantile(self, q, dim=None, keepdim=False, *, interpolation="linear"):
    """The value below which the part `q` (a number or a vector of numbers) of the elements lies."""
    return quantiles(self, q, dim, keepdim, interpolation, False, "quantile")


def nanquantile(self, q, dim=None, keepdim=False, *, interpolation="linear"):
    """`quantile` of the elements that are not NaN."""
    return quantiles(self, q, dim, keepdim, interpolation, True, "nanquantile")


def quantiles(self, q, dim, keepdim, interpolation, ignore_nan, name):
    only_bool(keepdim)
    array = self._array
    if not array.size:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if array.dtype not in (np.float32, np.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    several = isinstance(q, Tensor) and q._array.ndim == 1
    parts = q._array if isinstance(q, Tensor) else np.asarray(q, array.dtype)
    if parts.dtype != array.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if ((parts < 0) | (parts > 1)).any():
        if isinstance(q, Tensor):
            raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
        raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q}")
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(f"{name}() interpolation must be one of linear, lower, higher, midpoint or "
                           f"nearest, but got {interpolation}")
    sizes, ndim = array.shape, array.ndim
    if dim is None:
        rows, kept = shape.flatten(self), (1,) * ndim
    else:
        dim = one_dim(dim, ndim)
        kept = tuple([1 if i == dim else n for i, n in enumerate(sizes)])
        rows = self if dim == ndim - 1 else axes.transpose(shape.unsqueeze(self, -1), dim, -1)
    if not keepdim:
        kept = () if dim is None else (*kept[:dim], *kept[dim + 1:])
    in_order = sort(rows, -1)[0]
    count = in_order._array.shape[-1]
    in_order = shape._view(in_order, (*kept, count))
    missing = np.add.reduce(np.isnan(in_order._array), axis=-1, keepdims=True, dtype=INT64)
    if ignore_nan:
        ranks = parts.reshape(-1) * np.maximum(count - missing - 1, 0).astype(array.dtype)
    else:                               # a NaN, which sorts last, is the answer
        last = array.dtype.type(count - 1)
        ranks = np.where(missing > 0, last, parts.reshape(-1) * last)
    rounded = {"lower": np.floor, "higher": np.ceil, "nearest": np.round}.get(interpolation)
    if rounded is not None:
        ranks = rounded(ranks)
    below = ranks.astype(INT64)
    result = indexing.gather(in_order, -1, wrap(below))
    if interpolation in ("linear", "midpoint"):
        weights = (ranks - below).astype(array.dtype)
        if interpolation == "midpoint":
            weights[...] = 0.5
        above = np.ceil(ranks).astype(INT64)
        result.lerp_(indexing.gather(in_order, -1, wrap(above)), wrap(weights))
    if several:
        result.unsqueeze_(0).transpose_(0, -1)
    return result.squeeze_(-1)


METHODS = "sort argsort msort topk unique unique_consecutive bincount histc quantile nanquantile"
FUNCTIONS_ONLY = "searchsorted bucketize"

from . import axes, indexing, shape  # noqa: E402
