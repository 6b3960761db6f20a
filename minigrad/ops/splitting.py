"""A tensor taken apart into views: split, chunk, unbind and their relatives."""
from __future__ import annotations

from ..arguments import explain, histories_first
from ..autograd.differentiable import differentiable
from ..autograd.views import shares_memory
from ..dtypes import short_name
from ..errors import counts_arguments, dim_range, whole_number
from ..tensor import Tensor
from . import joining
from .either import shape_of, zeros_beside
from .shape import sizes_of
from .slicing import _slice, along

# --- one operation, many results ----------------------------------------------------------------------------


def _joined(grads, self_shape, sizes, dim):
    """The gradients of the pieces, put together again; zeros for a piece that was not used."""
    like = next(g for g in grads if g is not None)
    place = dim % len(self_shape)
    return joining._cat([zeros_beside(like, (*self_shape[:place], size, *self_shape[place + 1:]))
                         if g is None else g
                         for g, size in zip(grads, sizes)], dim)


@shares_memory
@differentiable("SplitBackward0", outputs=("pieces",),
                self=lambda grads, self_shape, split_size, dim: _joined(
                    grads, self_shape, even_sizes(self_shape[dim], split_size), dim))
def _split(self, split_size, dim):
    return pieces(self, even_sizes(self.shape[dim], split_size), dim)


@shares_memory
@differentiable("SplitWithSizesBackward0", outputs=("pieces",),
                self=lambda grads, self_shape, split_sizes, dim: _joined(grads, self_shape, split_sizes, dim))
def _split_with_sizes(self, split_sizes, dim):
    return pieces(self, split_sizes, dim)


@shares_memory
@differentiable("UnbindBackward0", outputs=("slices",),
                self=lambda grads, dim: _stacked(grads, dim))
def _unbind(self, dim):
    ndim = self.ndim
    return tuple([self[along(dim, i, ndim)] for i in range(self.shape[dim])])


def _stacked(grads, dim):
    like = next(g for g in grads if g is not None)
    return joining._stack([zeros_beside(like, shape_of(like)) if g is None else g for g in grads],
                          dim)


def even_sizes(total, size):
    """`size` as often as it goes into `total`, and the rest; one piece at least."""
    if not total:
        return (0,)
    full, rest = divmod(total, size)
    return (*(size,) * full, *((rest,) if rest else ()))


def pieces(array, sizes, dim):
    parts, start, ndim = [], 0, array.ndim
    for size in sizes:
        parts.append(array[along(dim, slice(start, start + size), ndim)])
        start += size
    return tuple(parts)


# --- the public forms ---------------------------------------------------------------------------------------

def split(tensor, split_size_or_sections, dim=0):
    """The method, as a function; like PyTorch's, it asks anything for it."""
    return tensor.split(split_size_or_sections, dim)


def split_method(self, split_size, dim=0):
    """Views of `split_size` positions each (the last may be smaller), or of the sizes in a list.

    Raises:
        RuntimeError: the sizes do not add up to the dimension, or are negative.
    """
    try:
        if isinstance(split_size, (tuple, list)):
            return split_with_sizes(self, split_size, dim)
        return _split(self, checked_size(self, split_size, dim), dim)
    except TypeError as error:
        name = "_VF.split" if isinstance(split_size, int) else "_VF.split_with_sizes"
        raise explain(name, (self, split_size, dim), {}) or error from None
    except (RuntimeError, IndexError):
        histories_first("split", (self,))
        raise


split_method.__qualname__ = "Tensor.split"      # Python names it where it refuses a keyword


def checked_size(self, split_size, dim):
    if not isinstance(split_size, int):
        split_size = whole_number(split_size)
    shape = self._array.shape
    if not shape:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    size = shape[dim_range(dim, len(shape))]
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    if not split_size and size:
        raise RuntimeError("split_size can only be 0 if dimension size is 0, but got dimension size of "
                           f"{size}")
    return split_size


def split_with_sizes(self, split_sizes, dim=0):
    """Views of the given sizes, which must add up to the dimension."""
    return _split_with_sizes(self, checked_sizes(self, split_sizes, dim), dim)


def checked_sizes(self, split_sizes, dim):
    sizes = sizes_of((split_sizes,))
    shape = self._array.shape
    if not shape:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    place = dim_range(dim, len(shape))
    if min(sizes, default=0) < 0:
        raise RuntimeError("split_with_sizes expects split_sizes have only non-negative entries, but got "
                           f"split_sizes={list(sizes)}")
    if sum(sizes) != shape[place]:
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {shape[place]} (input "
                           f"tensor's size at dimension {place}), but got split_sizes={list(sizes)}")
    return sizes


def chunk_size(self, chunks, dim):
    shape = self._array.shape
    if not shape:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = shape[dim_range(dim, len(shape))]
    return size, -(-size // chunks)


@counts_arguments
def chunk(self, chunks, dim=0):
    """At most `chunks` views of equal size; the last may be smaller."""
    size, each = chunk_size(self, chunks, dim)
    if not size:
        return _split_with_sizes(self, (0,) * chunks, dim)
    return _split(self, each, dim)


# The same, but the results do not count as views: they may be written, but then nothing else may be used.


@counts_arguments
def unbind(self, dim=0):
    """A view of every position along a dimension, which disappears."""
    ndim = self._array.ndim
    place = dim_range(dim, ndim)
    if not ndim:
        raise IndexError(f"Dimension specified as {place} but tensor has no dimensions")
    return _unbind(self, dim)


def split_along(name, least, choose_dim):
    def function(self, indices_or_sections):
        shape = self._array.shape
        if len(shape) < least:
            raise RuntimeError(f"torch.{name} requires a tensor with at least {least} dimension, but got a "
                               f"tensor with {len(shape)} dimensions!")
        dim = choose_dim(len(shape))
        if isinstance(indices_or_sections, int) and (not indices_or_sections
                                                     or shape[dim] % indices_or_sections):
            raise RuntimeError(f"torch.{name} attempted to split along dimension {dim}, but the size of the "
                               f"dimension {shape[dim]} is not divisible by the split_size "
                               f"{indices_or_sections}!")
        return tensor_split(self, indices_or_sections, dim)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (f"`tensor_split` along dimension {choose_dim(3)}; "
                        "a number of pieces must divide its size.")
    return function


hsplit = split_along("hsplit", 1, lambda ndim: 0 if ndim == 1 else 1)
vsplit = split_along("vsplit", 2, lambda ndim: 0)
dsplit = split_along("dsplit", 3, lambda ndim: 2)


def iterate(self):
    """``for row in x``: the views that `unbind` gives."""
    if not self._array.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(_unbind(self, 0))


FUNCTIONS_ONLY = "split"
METHODS = """
split_with_sizes chunk unbind hsplit vsplit dsplit
"""
OPERATORS = {"__iter__": iterate, "split": split_method}
