"""Copies in another order or number: repeat, flip, roll, rotate, triangles, padding, grids."""
from __future__ import annotations

import itertools

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..autograd.inplace import in_place
from ..memory import by_rows, copy_in_order, empty_in_order
from ..messages import dim_range, not_implemented_for, whole_number
from ..tensor import Tensor, wrap, wrap_new
from ..warn import warn_once
from . import indexing, joining, reduction, shape
from .either import zeros_beside
from .layout import sizes_of

# --- repetition ---------------------------------------------------------------------------------------------


def _repeat_backward(grad, repeats, self_shape):
    """The gradient summed over all copies of each element."""
    if 0 in repeats:
        return zeros_beside(grad, self_shape)
    lead = len(repeats) - len(self_shape)
    for _ in range(lead):
        grad = reduction._sum_dim(grad, (0,), False, None)
    sizes, copies = [], []
    for times, size in zip(repeats[lead:], self_shape):
        if times != 1:
            copies.append(len(sizes))
            sizes.append(times)
        sizes.append(size)
    if not copies:
        return grad
    return reduction._sum_dim(shape._reshape(grad, tuple(sizes)), tuple(copies), False, None)


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


def repeat_interleave(self, repeats=None, dim=None, *, output_size=None):
    """Each element, or each position along `dim`, several times in a row; a tensor says how often each."""
    if repeats is None:
        return wrap_new(np.repeat(np.arange(self._array.size), self._array))
    if dim is None:
        self, dim = shape.flatten(self), 0
    if not isinstance(repeats, Tensor):
        return repeat_evenly(self, whole_number(repeats), dim)
    if not self._array.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    size = self._array.shape[dim_range(dim, self._array.ndim)]
    counts = repeats._array
    if counts.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if counts.dtype.kind != "i":
        raise not_implemented_for("repeat_interleave_cpu", counts.dtype)
    if counts.size == 1:
        counts = counts.reshape(1).repeat(size)
    elif counts.shape != (size,):
        raise RuntimeError(f"repeats must have the same size as input along dim, but got repeats.size(0) = "
                           f"{counts.shape[0]} and input.size({dim}) = {size}")
    if counts.min(initial=0) < 0:
        raise RuntimeError("repeats can not be negative")
    if output_size is not None and output_size != counts.sum():
        raise RuntimeError("allocated size does not match required size")
    return indexing.index_select(self, dim, wrap(np.repeat(np.arange(size), counts)))


def repeat_evenly(self, times, dim):
    """An expanded view, copied, and read with the copies as part of their dimension."""
    if times < 0:
        raise RuntimeError("Repeats must be non-negative")
    sizes = self._array.shape
    place = dim_range(dim, len(sizes))
    spread = shape._expand(shape.unsqueeze(self, place + 1), (*sizes[:place + 1], times, *sizes[place + 1:]))
    return shape._view(shape._clone_contiguous(spread),
                       (*sizes[:place], sizes[place] * times, *sizes[place + 1:]))


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


def in_reverse(self):
    """``reversed(x)``: a copy with its rows in reverse order, not an iterator."""
    return _flip(self, (0,)) if self._array.ndim else self


def fliplr(self):
    """A copy in reverse order along dimension 1."""
    if self._array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return _flip(self, (1,))


def flipud(self):
    """A copy in reverse order along dimension 0."""
    if self._array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return _flip(self, (0,))


@differentiable("RollBackward0", self=lambda grad, shifts, dims: _roll(
                    grad, tuple([-s for s in reversed(shifts)]), tuple(reversed(dims))))
def _roll(self, shifts, dims):
    if not self.ndim or not self.size:
        return self.copy()
    return np.ascontiguousarray(np.roll(self, shifts, dims) if dims else np.roll(self, shifts[0]))


def roll(self, shifts, dims=()):
    """A copy with the positions along some dimensions moved on, those at the end to the front.

    Without dimensions, all numbers in a row are moved.
    """
    shifts, dims = sizes_of((shifts,)), () if dims is None else sizes_of((dims,))
    if not shifts:
        raise RuntimeError("`shifts` required")
    if len(shifts) != len(dims) and (dims or len(shifts) > 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if not self._array.size:
        return _roll(self, shifts, dims)
    if dims and not self._array.ndim:
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    for d in dims:
        dim_range(d, self._array.ndim)
    return _roll(self, shifts, dims)


@differentiable("Rot90Backward0", self=lambda grad, k, dims: _rot90(grad, -k, dims))
def _rot90(self, k, dims):
    if k % 4 == 2:
        return _flip.operation.forward(self, dims)
    if not k % 4:
        return copy_in_order(self)
    turned = _flip.operation.forward(self, dims[k % 4 == 1:][:1])
    return turned.swapaxes(*dims)


def rot90(self, k=1, dims=(0, 1)):
    """A copy turned by 90 degrees, k times, from the first of two dimensions towards the second."""
    dims, ndim = tuple(dims), self._array.ndim
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {ndim}")
    if dim_range(dims[0], ndim) == dim_range(dims[1], ndim):
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = "
                           f"{dims[1]}")
    return _rot90(self, k, dims)


# --- triangles ----------------------------------------------------------------------------------------------

@differentiable("TrilBackward0", self=lambda grad, diagonal: _tril(grad, diagonal))
def _tril(self, diagonal):
    return triangle("tril", np.tril, self, diagonal)


@differentiable("TriuBackward0", self=lambda grad, diagonal: _triu(grad, diagonal))
def _triu(self, diagonal):
    return triangle("triu", np.triu, self, diagonal)


def triangle(name, function, array, diagonal):
    if array.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
    return by_rows(function(array, diagonal))


def tril(self, diagonal=0):
    """A copy with zeros above a diagonal."""
    return _tril(self, whole_number(diagonal))


def triu(self, diagonal=0):
    """A copy with zeros below a diagonal."""
    return _triu(self, whole_number(diagonal))


_tril_, _triu_ = in_place(_tril), in_place(_triu)


def tril_(self, diagonal=0):
    """Write zeros above a diagonal."""
    return _tril_(self, whole_number(diagonal))


def triu_(self, diagonal=0):
    """Write zeros below a diagonal."""
    return _triu_(self, whole_number(diagonal))


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

@differentiable("ConstantPadNdBackward0",
                self=lambda grad, pad: _constant_pad_nd(grad, tuple([-n for n in pad]), 0))
def _constant_pad_nd(self, pad, value):
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * self.ndim:
        raise RuntimeError("Padding length should be less than or equal to two times the input dimension "
                           f"but got padding length {len(pad)} and input of dimension {self.ndim}")
    before, after = [0] * self.ndim, [0] * self.ndim
    for i in range(len(pad) // 2):
        before[-1 - i], after[-1 - i] = pad[2 * i], pad[2 * i + 1]
    inner = self[tuple([slice(max(-b, 0), n - max(-a, 0)) for b, a, n in zip(before, after, self.shape)])]
    sizes = [n + b + a for n, b, a in zip(self.shape, before, after)]
    if min(sizes, default=0) < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    result = np.full(sizes, dtypes.number_array(value, self.dtype), self.dtype)
    result[tuple([slice(max(b, 0), max(b, 0) + n) for b, n in zip(before, inner.shape)])] = inner
    return result


def constant_pad_nd(self, pad, value=0):
    """A copy with `value` before and after along the last dimensions; negative numbers cut away.

    pad: (before, after) for the last dimension, then for the one before it, and so on.
    """
    return _constant_pad_nd(self, sizes_of((pad,)), value)


# --- grids and choices --------------------------------------------------------------------------------------

MESHGRID_INDEXING = ("torch.meshgrid: in an upcoming release, it will be required to pass the indexing "
                     "argument.")


def meshgrid(*tensors, indexing=None):
    """Views of one-dimensional tensors, expanded to the grid of all their combinations.

    With ``indexing="xy"`` the first two dimensions of the grid are exchanged.
    """
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tensors[0]
    if indexing is None:
        warn_once(MESHGRID_INDEXING)
        indexing = "ij"
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    arrays = [t._array for t in tensors]
    for a in arrays:
        if a.ndim > 1:
            raise RuntimeError("torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: "
                               f"a tensor of shape {list(a.shape)}")
        if a.dtype != arrays[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if indexing not in ("xy", "ij"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    exchanged = indexing == "xy" and len(tensors) >= 2
    order = list(range(len(tensors)))
    if exchanged:
        order[:2] = 1, 0
    sizes = tuple([arrays[i].size for i in order])
    grids = []
    for place, i in enumerate(order):
        ones = tuple([n if d == place else 1 for d, n in enumerate(sizes)])
        grids.append((i, shape._expand(shape._view(tensors[i], ones), sizes)))
    return tuple([grid for _, grid in sorted(grids, key=lambda pair: pair[0])])


def cartesian_prod(*tensors):
    """All combinations of the numbers of one-dimensional tensors, a row each."""
    for t in tensors:
        if t._array.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(t._array.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return joining.stack([shape.flatten(grid) for grid in meshgrid(*tensors, indexing="ij")], 1)


def combinations(self, r=2, with_replacement=False):
    """All choices of r numbers of a one-dimensional tensor, in order, a row each."""
    if self._array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(self._array.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return wrap_new(np.zeros(0, self._array.dtype))
    n = self._array.size
    chosen = np.zeros((n,) * r, bool)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    for places in choose(range(n), r):
        chosen[places] = True
    mask = wrap(chosen)
    return joining.stack([indexing.masked_select(grid, mask)
                          for grid in meshgrid(*[self] * r, indexing="ij")], 1)


METHODS = "tile repeat_interleave flip fliplr flipud roll rot90 tril triu"
METHODS_ONLY = "repeat tril_ triu_"
OPERATORS = {"__reversed__": in_reverse}
FUNCTIONS_ONLY = "tril_indices triu_indices constant_pad_nd meshgrid cartesian_prod combinations"
