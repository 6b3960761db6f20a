"""Tensors put together: ``cat`` along a dimension they have, ``stack`` along a new one.

The gradient is taken apart again: each tensor receives the part that it became.
"""
from functools import reduce

import numpy as np

from .. import dtypes
from ..autograd.operation import differentiable
from ..errors import dim_range
from .declaring import expect_list_of_tensors, numpy_names
from .formulas import new_zeros, shape_of
from .slicing import _select, _slice


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
    place = dim_range(dim, len(first))
    for i, shape in enumerate(shapes):
        if shape != (0,):
            check_sizes(first, shape, place, i)
    return _cat(tuple(tensors), dim)


def check_sizes(first, shape, place, number):
    """Raise if two shapes differ in another dimension than the one at `place`."""
    if len(shape) != len(first):
        raise RuntimeError(
            "Tensors must have same number of dimensions: got "
            f"{len(first)} and {len(shape)}")
    for dim, (expected, size) in enumerate(zip(first, shape)):
        if dim != place and expected != size:
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {place}. Expected "
                f"size {expected} but got size {size} for tensor number {number} in "
                "the list.")


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


FUNCTIONS_ONLY = "cat stack"
ATTRIBUTES = {"_stack": staticmethod(stack)}     # for jacobian(), in a lower part
