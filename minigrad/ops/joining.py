"""Tensors put together, and taken apart into views.

cat puts tensors together along a dimension they have, split and chunk take one apart along it;
stack does so along a new dimension, unbind along one that disappears.
"""
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


def shapes_of(tensors, error_if_empty):
    """Return the shapes of tensors that are to be put together."""
    for i, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type_name(x)}")
    if not tensors:
        raise error_if_empty
    return [x._array.shape for x in tensors]


def cat_backward(grad, tensors_shape, dim):
    """Return the part of the gradient that each tensor is due."""
    parts, start = [], 0
    for sizes in tensors_shape:
        is_empty = sizes == (0,)        # left out of the result, whatever the others look like
        end = start if is_empty else start + sizes[dim]
        parts.append(new_zeros(grad, sizes) if is_empty else _slice(grad, dim, start, end, 1))
        start = end
    return parts


@differentiable("CatBackward0", tensors=lambda grad, tensors_shape, dim: cat_backward(
    grad, tensors_shape, dim))
def _cat(tensors, dim):
    common = reduce(dtypes.promote, [x.dtype for x in tensors])
    parts = [x for x in tensors if x.shape != (0,)] or tensors[:1]
    return np.ascontiguousarray(np.concatenate(parts, dim, dtype=common))


def cat(tensors, dim=0):
    """Return the tensors one after the other along `dim`, in the dtype that holds them all.

        torch.cat([torch.zeros(1, 2), torch.ones(2, 2)])        # shape (3, 2)

    Raises a RuntimeError where sizes differ in another dimension.
    """
    shapes = shapes_of(tensors, ValueError("torch.cat(): expected a non-empty list of Tensors"))
    if () in shapes:
        raise RuntimeError(f"zero-dimensional tensor (at position {shapes.index(())}) cannot be "
                           "concatenated")
    first = next((shape for shape in shapes if shape != (0,)), (0,))
    place = dim_range(dim, len(first))
    for i, shape in [(i, shape) for i, shape in enumerate(shapes) if shape != (0,)]:
        if len(shape) != len(first):
            raise RuntimeError("Tensors must have same number of dimensions: got "
                               f"{len(first)} and {len(shape)}")
        for d, (n, m) in enumerate(zip(first, shape)):
            if d != place and n != m:
                raise RuntimeError(f"Sizes of tensors must match except in dimension {place}. "
                                   f"Expected size {n} but got size {m} for tensor number {i} in "
                                   "the list.")
    return _cat(tuple(tensors), dim)


@differentiable("StackBackward0", tensors=lambda grad, dim: [
    _select(grad, dim, i) for i in range(shape_of(grad)[dim])])
def _stack(tensors, dim):
    common = reduce(dtypes.promote, [x.dtype for x in tensors])
    return np.ascontiguousarray(np.stack(tensors, dim, dtype=common))


def stack(tensors, dim=0):
    """Return the tensors, all of one shape, one after the other along a new dimension.

        torch.stack([torch.zeros(2), torch.ones(2)])            # tensor([[0., 0.], [1., 1.]])
    """
    shapes = shapes_of(tensors, RuntimeError("stack expects a non-empty TensorList"))
    dim_range(dim, len(shapes[0]) + 1)
    for i, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise RuntimeError("stack expects each tensor to be equal size, but got "
                               f"{list(shapes[0])} at entry 0 and {list(shape)} at entry {i}")
    return _stack(tuple(tensors), dim)


def joined(grads, self_shape, sizes, dim):
    """Return the gradients of ranges of these sizes, or of one size, one after the other."""
    place, total = dim % len(self_shape), self_shape[dim]
    if isinstance(sizes, int):
        sizes = [min(sizes, total - i) for i in range(0, max(total, 1), max(sizes, 1))]
    shapes = [(*self_shape[:place], size, *self_shape[place + 1:]) for size in sizes]
    return _cat(with_zeros(grads, shapes), dim)


def with_zeros(grads, shapes):
    """Return the gradients of parts, with zeros for a part that was not used."""
    like = next(g for g in grads if g is not None)
    return [new_zeros(like, shape) if g is None else g for g, shape in zip(grads, shapes)]


@shares_memory
@differentiable("SplitBackward0", outputs=("pieces",),
                self=lambda grads, self_shape, split_size, dim: joined(
                    grads, self_shape, split_size, dim))
def _split(self, split_size, dim):
    return tuple(np.split(self, range(split_size, self.shape[dim], split_size or 1), dim))


@shares_memory
@differentiable("SplitWithSizesBackward0", outputs=("pieces",),
                self=lambda grads, self_shape, split_sizes, dim: joined(
                    grads, self_shape, split_sizes, dim))
def _split_with_sizes(self, split_sizes, dim):
    return tuple(np.split(self, np.cumsum(split_sizes[:-1], dtype=int), dim))


@shares_memory
@differentiable("UnbindBackward0", outputs=("slices",), self=lambda grads, dim: _stack(with_zeros(
    grads, [shape_of(g) for g in grads if g is not None] * len(grads)), dim))
def _unbind(self, dim):
    return tuple([self[along(dim, i, self.ndim)] for i in range(self.shape[dim])])


def size_along(function, self, dim):
    shape = self._array.shape
    if not shape:
        raise RuntimeError(f"{function} expects at least a 1-dimensional tensor")
    return shape[dim_range(dim, len(shape))]


def split(self, split_size_or_sections, dim=0):
    """Return views of so many positions each (the last may have fewer), or of the sizes in a list.

        torch.arange(5).split(2)        # (tensor([0, 1]), tensor([2, 3]), tensor([4]))

    Raises a RuntimeError where the sizes are negative, or do not add up to that of the dimension.
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
    if not self._array.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(_unbind(self, 0))


METHODS = "split chunk unbind"
FUNCTIONS_ONLY = "cat stack"
OPERATORS = {"__iter__": iterate,
             "_stack": staticmethod(stack)}      # for jacobian(), in a part below this one
