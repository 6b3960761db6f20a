"""Tensors put together: ``cat`` along a dimension they have, ``stack`` along a new one.

The gradient is taken apart again: each tensor receives the part that it became.
"""
from functools import reduce

import numpy as np

from .. import dtypes
from ..autograd.operation import differentiable
from ..autograd.views import shares_memory
from ..errors import dim_range, existing_dim
from .declaring import expect_list_of_tensors, new_zeros, numpy_names, shape_of
from .indexing import _select, _slice, along
from .shape import sizes_of


def common_dtype(arrays):
    return reduce(dtypes.promote, [array.dtype for array in arrays])


def cat_backward(grad, tensors_shape, dim):
    """Return the part of the gradient that each tensor is due."""
    parts, start = [], 0
    for sizes in tensors_shape:
        if sizes == (0,):           # left out of the result, whatever the others are
            parts.append(new_zeros(grad, sizes))
            continue
        end = start + sizes[dim]
        parts.append(_slice(grad, dim, start, end, 1))
        start = end
    return parts


@differentiable("CatBackward0", tensors=cat_backward)
def _cat(tensors, dim):
    parts = [x for x in tensors if x.shape != (0,)] or tensors[:1]
    result = np.concatenate(parts, dim, dtype=common_dtype(tensors))
    return np.ascontiguousarray(result)


@numpy_names
def cat(tensors, dim=0):
    """Return the tensors one after the other along `dim`, in the dtype that holds all.

        torch.cat([torch.zeros(1, 2), torch.ones(2, 2)])        # shape (3, 2)

    Raises a RuntimeError where sizes differ in another dimension.
    """
    expect_list_of_tensors("cat", tensors)
    shapes = [x._array.shape for x in tensors]
    if not shapes:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    if () in shapes:
        raise RuntimeError(
            f"zero-dimensional tensor (at position {shapes.index(())}) cannot be "
            "concatenated")
    first = next((shape for shape in shapes if shape != (0,)), (0,))
    joined_dim = dim_range(dim, len(first))
    for i, shape in enumerate(shapes):
        if shape != (0,):
            check_sizes(first, shape, joined_dim, i)
    return _cat(tuple(tensors), dim)


def check_sizes(first, shape, joined_dim, number):
    """Raise if two shapes differ in another dimension than the one that is joined."""
    if len(shape) != len(first):
        raise RuntimeError(
            "Tensors must have same number of dimensions: got "
            f"{len(first)} and {len(shape)}")
    for dim, (expected, size) in enumerate(zip(first, shape)):
        if dim != joined_dim and expected != size:
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {joined_dim}. "
                f"Expected size {expected} but got size {size} for tensor number "
                f"{number} in the list.")


@differentiable(
    "StackBackward0",
    tensors=lambda grad, dim: [
        _select(grad, dim, i) for i in range(shape_of(grad)[dim])])
def _stack(tensors, dim):
    result = np.stack(tensors, dim, dtype=common_dtype(tensors))
    return np.ascontiguousarray(result)


@numpy_names
def stack(tensors, dim=0):
    """Return the tensors, all of one shape, one after the other along a new dimension.

        torch.stack([torch.zeros(2), torch.ones(2)])    # tensor([[0., 0.], [1., 1.]])

    Raises a RuntimeError where the shapes differ.
    """
    expect_list_of_tensors("stack", tensors)
    shapes = [x._array.shape for x in tensors]
    if not shapes:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = shapes[0]
    dim_range(dim, len(first) + 1)
    for i, shape in enumerate(shapes):
        if shape != first:
            raise RuntimeError(
                "stack expects each tensor to be equal size, but got "
                f"{list(first)} at entry 0 and {list(shape)} at entry {i}")
    return _stack(tuple(tensors), dim)


# --- splitting ------------------------------------------------------------------------
# `split` and `chunk` give views of ranges along a dimension, `unbind` of its single
# positions.  The gradient is put together again, with zeros for an unused part.

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
    existing_dim(dim_range(dim, self.ndim), self.ndim)  # PyTorch names 0 for -1
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
FUNCTIONS_ONLY = "cat stack"
# `_stack` is for jacobian(), in a lower part.
ATTRIBUTES = {"__iter__": iterate, "_stack": staticmethod(stack)}
