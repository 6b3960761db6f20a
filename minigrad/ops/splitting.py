"""A tensor taken apart into views: split, chunk, unbind, and a loop over its rows.

`split` and `chunk` give ranges along a dimension, `unbind` its single positions.  The
gradient is put together again, with zeros for a part that was not used.
"""
import numpy as np

from ..autograd.operation import differentiable
from ..autograd.views import shares_memory
from ..errors import dim_range, existing_dim
from .declaring import numpy_names
from .formulas import new_zeros, shape_of
from .joining import _cat, _stack
from .shape import sizes_of
from .slicing import along


def with_zeros(grads, shapes):
    """Return the gradients of parts, with zeros for a part that was not used."""
    like = next(grad for grad in grads if grad is not None)
    return [
        new_zeros(like, shape) if grad is None else grad
        for grad, shape in zip(grads, shapes)]


# --- ranges ---------------------------------------------------------------------------

def split_backward(grads, self_shape, split_size, dim):
    total = self_shape[dim]
    starts = range(0, max(total, 1), max(split_size, 1))
    sizes = [min(split_size, total - start) for start in starts]
    return joined(grads, self_shape, sizes, dim)


def joined(grads, shape, sizes, dim):
    """Return the gradients of ranges of these sizes, one after the other."""
    dim = dim % len(shape)
    before, after = shape[:dim], shape[dim + 1:]
    shapes = [(*before, size, *after) for size in sizes]
    return _cat(with_zeros(grads, shapes), dim)


@shares_memory
@differentiable("SplitBackward0", outputs=("pieces",), self=split_backward)
def _split(self, split_size, dim):
    ends = range(split_size, self.shape[dim], split_size or 1)
    return tuple(np.split(self, ends, dim))


@shares_memory
@differentiable(
    "SplitWithSizesBackward0",
    outputs=("pieces",),
    self=lambda grads, self_shape, split_sizes, dim: (
        joined(grads, self_shape, split_sizes, dim)))
def _split_with_sizes(self, split_sizes, dim):
    ends = np.cumsum(split_sizes[:-1], dtype=int)
    return tuple(np.split(self, ends, dim))


def split(self, split_size_or_sections, dim=0):
    """Return views of so many positions each, or of the sizes in a list.

        torch.arange(5).split(2)        # (tensor([0, 1]), tensor([2, 3]), tensor([4]))
        torch.arange(5).split([4, 1])   # (tensor([0, 1, 2, 3]), tensor([4]))

    Raises a RuntimeError where sizes are negative, or do not add up to the dimension's.
    """
    sizes = split_size_or_sections
    total = size_along("split", self, dim)
    if isinstance(sizes, (tuple, list)):
        sizes = sizes_of((sizes,))
        check_split_sizes(sizes, total, dim)
        return _split_with_sizes(self, sizes, dim)
    if sizes < 0:
        raise RuntimeError(
            "split expects split_size be non-negative, but got split_size="
            f"{sizes}")
    if not sizes and total:
        raise RuntimeError(
            "split_size can only be 0 if dimension size is 0, but got dimension size "
            f"of {total}")
    return _split(self, sizes, dim)


def check_split_sizes(sizes, total, dim):
    if min(sizes, default=0) < 0:
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but "
            f"got split_sizes={list(sizes)}")
    if sum(sizes) != total:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {total} (input "
            f"tensor's size at dimension {dim}), but got split_sizes={list(sizes)}")


@numpy_names
def chunk(self, chunks, dim=0):
    """Return at most `chunks` views of equal size; the last may be smaller."""
    total = size_along("chunk", self, dim)
    if chunks <= 0:
        raise RuntimeError(
            f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    if not total:
        return _split_with_sizes(self, (0,) * chunks, dim)
    rounded_up = -(-total // chunks)
    return _split(self, rounded_up, dim)


def size_along(function, self, dim):
    shape = self._array.shape
    if not shape:
        raise RuntimeError(f"{function} expects at least a 1-dimensional tensor")
    return shape[dim_range(dim, len(shape))]


# --- single positions -----------------------------------------------------------------

def unbind_backward(grads, dim):
    given = [grad for grad in grads if grad is not None]
    return _stack(with_zeros(grads, [shape_of(given[0])] * len(grads)), dim)


@shares_memory
@differentiable("UnbindBackward0", outputs=("slices",), self=unbind_backward)
def _unbind(self, dim):
    existing_dim(dim, self.ndim)
    return tuple([self[along(dim, i, self.ndim)] for i in range(self.shape[dim])])


@numpy_names
def unbind(self, dim=0):
    """Return a view of every position along a dimension, which disappears.

        a, b = torch.tensor([[1, 2], [3, 4]]).unbind()
    """
    return _unbind(self, dim)


def iterate(self):
    """Loop over the positions along the first dimension: ``for row in x``."""
    if not self._array.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(_unbind(self, 0))


METHODS = "split chunk unbind"
ATTRIBUTES = {"__iter__": iterate}
