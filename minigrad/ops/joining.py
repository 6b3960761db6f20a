"""Tensors put together: cat along a dimension they have, stack along a new one."""
from __future__ import annotations

from functools import reduce

import numpy as np

from .. import dtypes
from ..autograd.operation import differentiable
from ..errors import dim_range, type_name
from ..tensor import Tensor
from .formulas import new_zeros, shape_of
from .slicing import _select, _slice


def in_common_dtype(arrays):
    """Return the arrays in the dtype that holds them all."""
    common = reduce(dtypes.promote, [a.dtype for a in arrays])
    return [a.astype(common, copy=False) for a in arrays]


def tensor_list(name, tensors):
    """Return the argument as a tuple of tensors, or raise the TypeError that says what it is."""
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
                        f"{type_name(tensors)}")
    for i, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type_name(x)}")
    return tuple(tensors)


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
    tensors = tensor_list("cat", tensors)
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    shapes = [x._array.shape for x in tensors]
    if () in shapes:
        raise RuntimeError(f"zero-dimensional tensor (at position {shapes.index(())}) cannot be "
                           "concatenated")
    real = [(i, shape) for i, shape in enumerate(shapes) if shape != (0,)]
    if not real:
        return _cat(tensors, 0)
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
    return _cat(tensors, dim)


# --- stack --------------------------------------------------------------------------------------

@differentiable("StackBackward0", tensors=lambda grad, dim: [
    _select(grad, dim, i) for i in range(shape_of(grad)[dim])])
def _stack(tensors, dim):
    return np.ascontiguousarray(np.stack(in_common_dtype(tensors), dim))


def stack(tensors, dim=0):
    """Return the tensors, all of one shape, one after the other along a new dimension.

        torch.stack([torch.zeros(2), torch.ones(2)])            # tensor([[0., 0.], [1., 1.]])
    """
    tensors = tensor_list("stack", tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = tensors[0]._array.shape
    dim_range(dim, len(first) + 1)
    for i, x in enumerate(tensors):
        if x._array.shape != first:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(first)} "
                               f"at entry 0 and {list(x._array.shape)} at entry {i}")
    return _stack(tensors, dim)


FUNCTIONS_ONLY = "cat stack"
