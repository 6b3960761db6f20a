"""Tensors put together, and taken apart into views.

cat puts tensors together along a dimension they have, split and chunk take one apart along it;
stack does so along a new dimension, unbind along one that disappears.  The gradients of parts are
put together again, with zeros for a part that was not used.
"""
from __future__ import annotations

from functools import reduce

import numpy as np

from .. import dtypes
from ..autograd.operation import differentiable
from ..autograd.views import shares_memory
from ..errors import dim_range, type_name
from ..tensor import Tensor
from .formulas import new_zeros, shape_of
from .shape import sizes_of
from .slicing import _select, _slice, along


def in_common_dtype(arrays):
    """Return the arrays in the dtype that holds them all."""
    common = reduce(dtypes.promote, [a.dtype for a in arrays])
    return [a.astype(common, copy=False) for a in arrays]


def check_tensors(tensors):
    for i, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type_name(x)}")


# --- cat ----------------------------------------------------------------------------------------

def cat_backward(grad, tensors_shape, dim):
    """Return the part of the gradient that each tensor is due."""
    parts, start = [], 0
    for sizes in tensors_shape:
        if sizes == (0,):           # an empty tensor is left out, whatever the others look like
            parts.append(new_zeros(grad, sizes))
            continue
        end = start + sizes[dim % len(sizes)]
        parts.append(_slice(grad, dim, start, end, 1))
        start = end
    return parts


@differentiable("CatBackward0", tensors=lambda grad, tensors_shape, dim: cat_backward(
    grad, tensors_shape, dim))
def _cat(tensors, dim):
    arrays = in_common_dtype(tensors)
    real = [a for a in arrays if a.shape != (0,)]
    return np.ascontiguousarray(np.concatenate(real or arrays[:1], dim))


def cat(tensors, dim=0):
    """Return the tensors one after the other along `dim`, in the dtype that holds them all.

        torch.cat([torch.zeros(1, 2), torch.ones(2, 2)])        # shape (3, 2)

    Raises:
        RuntimeError: sizes differ in another dimension.
        ValueError: there are no tensors.
    """
    check_tensors(tensors)
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    shapes = [x._array.shape for x in tensors]
    if () in shapes:
        raise RuntimeError(f"zero-dimensional tensor (at position {shapes.index(())}) cannot be "
                           "concatenated")
    real = [(i, shape) for i, shape in enumerate(shapes) if shape != (0,)]
    if not real:
        return _cat(tuple(tensors), 0)
    first = real[0][1]
    place = dim_range(dim, len(first))
    for i, shape in real[1:]:
        if len(shape) != len(first):
            raise RuntimeError("Tensors must have same number of dimensions: got "
                               f"{len(first)} and {len(shape)}")
        for d, (n, m) in enumerate(zip(first, shape)):
            if d != place and n != m:
                raise RuntimeError("Sizes of tensors must match except in dimension "
                                   f"{place}. Expected size {n} but got size {m} for tensor number "
                                   f"{i} in the list.")
    return _cat(tuple(tensors), dim)


# --- stack --------------------------------------------------------------------------------------

@differentiable("StackBackward0", tensors=lambda grad, dim: [
    _select(grad, dim, i) for i in range(shape_of(grad)[dim])])
def _stack(tensors, dim):
    return np.ascontiguousarray(np.stack(in_common_dtype(tensors), dim))


def stack(tensors, dim=0):
    """Return the tensors, all of one shape, one after the other along a new dimension.

        torch.stack([torch.zeros(2), torch.ones(2)])            # tensor([[0., 0.], [1., 1.]])
    """
    check_tensors(tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    shapes = [x._array.shape for x in tensors]
    dim_range(dim, len(shapes[0]) + 1)
    for i, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise RuntimeError("stack expects each tensor to be equal size, but got "
                               f"{list(shapes[0])} at entry 0 and {list(shape)} at entry {i}")
    return _stack(tuple(tensors), dim)


# --- split, chunk and unbind --------------------------------------------------------------------

def joined(grads, self_shape, sizes, dim):
    """Return the gradients of ranges of these sizes, one after the other."""
    like = next(g for g in grads if g is not None)
    place = dim % len(self_shape)
    shapes = [(*self_shape[:place], size, *self_shape[place + 1:]) for size in sizes]
    return _cat([new_zeros(like, s) if g is None else g for g, s in zip(grads, shapes)], dim)


def stacked(grads, dim):
    """Return the gradients of single positions, one after the other."""
    like = next(g for g in grads if g is not None)
    return _stack([new_zeros(like, shape_of(like)) if g is None else g for g in grads], dim)


@shares_memory
@differentiable("SplitBackward0", outputs=("pieces",),
                self=lambda grads, self_shape, split_size, dim: joined(
                    grads, self_shape, even_sizes(self_shape[dim], split_size), dim))
def _split(self, split_size, dim):
    return ranges(self, even_sizes(self.shape[dim], split_size), dim)


@shares_memory
@differentiable("SplitWithSizesBackward0", outputs=("pieces",),
                self=lambda grads, self_shape, split_sizes, dim: joined(
                    grads, self_shape, split_sizes, dim))
def _split_with_sizes(self, split_sizes, dim):
    return ranges(self, split_sizes, dim)


@shares_memory
@differentiable("UnbindBackward0", outputs=("slices",), self=lambda grads, dim: stacked(grads, dim))
def _unbind(self, dim):
    return tuple([self[along(dim, i, self.ndim)] for i in range(self.shape[dim])])


def even_sizes(total, size):
    """Return `size` as often as it goes into `total`, and the rest; one size at least."""
    full, rest = divmod(total, size) if total else (0, 0)
    return (*(size,) * full, *((rest,) if rest or not total else ()))


def ranges(array, sizes, dim):
    parts, start = [], 0
    for size in sizes:
        parts.append(array[along(dim, slice(start, start + size), array.ndim)])
        start += size
    return tuple(parts)


def size_along(function, self, dim):
    """Return the size of a dimension of a tensor that is to be taken apart."""
    shape = self._array.shape
    if not shape:
        raise RuntimeError(f"{function} expects at least a 1-dimensional tensor")
    return shape[dim_range(dim, len(shape))]


def split(self, split_size_or_sections, dim=0):
    """Return views of so many positions each (the last may have fewer), or of the sizes in a list.

        torch.arange(5).split(2)        # (tensor([0, 1]), tensor([2, 3]), tensor([4]))

    Raises:
        RuntimeError: the sizes are negative, or do not add up to the size of the dimension.
    """
    sizes, size = split_size_or_sections, size_along("split", self, dim)
    if not isinstance(sizes, (tuple, list)):
        if sizes < 0:
            raise RuntimeError("split expects split_size be non-negative, but got split_size="
                               f"{sizes}")
        if not sizes and size:
            raise RuntimeError("split_size can only be 0 if dimension size is 0, but got dimension "
                               f"size of {size}")
        return _split(self, sizes, dim)
    sizes = sizes_of((sizes,))
    if min(sizes, default=0) < 0:
        raise RuntimeError("split_with_sizes expects split_sizes have only non-negative entries, "
                           f"but got split_sizes={list(sizes)}")
    if sum(sizes) != size:
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {size} (input "
                           f"tensor's size at dimension {dim % self._array.ndim}), but got "
                           f"split_sizes={list(sizes)}")
    return _split_with_sizes(self, sizes, dim)


def chunk(self, chunks, dim=0):
    """Return at most `chunks` views of equal size; the last may be smaller."""
    size = size_along("chunk", self, dim)
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    if not size:
        return _split_with_sizes(self, (0,) * chunks, dim)
    return _split(self, -(-size // chunks), dim)


def unbind(self, dim=0):
    """Return a view of every position along a dimension, which disappears."""
    place = dim_range(dim, self._array.ndim)
    if not self._array.ndim:
        raise IndexError(f"Dimension specified as {place} but tensor has no dimensions")
    return _unbind(self, dim)


def iterate(self):
    """Iterate over the views that `unbind` gives: ``for row in x``."""
    if not self._array.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(_unbind(self, 0))


METHODS = "split chunk unbind"
FUNCTIONS_ONLY = "cat stack"
OPERATORS = {"__iter__": iterate}
