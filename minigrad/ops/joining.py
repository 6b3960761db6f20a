"""Tensors put together: cat, stack and their relatives."""
from __future__ import annotations

from functools import reduce

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..memory import by_rows
from ..errors import common_shape, dim_range, type_name, whole_number
from ..attributes import Size
from ..tensor import Tensor, wrap
from . import expansion, shape
from .either import shape_of, zeros_beside
from .slicing import _select, _slice

# --- along a dimension they have ----------------------------------------------------------------------------


def _cut(grad, tensors_shape, dim):
    """The part of the gradient that each tensor is due."""
    parts, start = [], 0
    for sizes in tensors_shape:
        if sizes == (0,):           # an empty tensor is left out, whatever the others look like
            parts.append(zeros_beside(grad, sizes))
            continue
        size = sizes[dim % len(sizes)]
        parts.append(_slice(grad, dim, start, start + size, 1))
        start += size
    return parts


@differentiable("CatBackward0", tensors=lambda grad, tensors_shape, dim: _cut(grad, tensors_shape, dim))
def _cat(tensors, dim):
    arrays = tensors if isinstance(tensors, list) else list(tensors)
    first = arrays[0]
    for a in arrays:
        if a.dtype != first.dtype or a.ndim != first.ndim or a.shape == (0,):
            arrays = made_alike(arrays)
            break
    result = np.concatenate(arrays, dim)
    return result if result.flags.c_contiguous else np.ascontiguousarray(result)


def made_alike(arrays):
    """In one dtype, without the empty ones of one dimension."""
    common = reduce(dtypes.promote, [a.dtype for a in arrays])
    real = [a for a in arrays if a.shape != (0,)] or arrays[:1]
    return [a.astype(common, copy=False) for a in real]


def check_cat(tensors, dim):
    """Raise what PyTorch raises for tensors that cannot be put together."""
    arrays = [t._array for t in tensors]
    for i, a in enumerate(arrays):
        if not a.ndim:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    real = [(i, a) for i, a in enumerate(arrays) if a.shape != (0,)]
    if not real:
        whole_number(dim)
        return 0            # they are left out; whatever dimension was named
    first = real[0][1].shape
    place = dim_range(dim, len(first))
    for i, a in real[1:]:
        if a.ndim != len(first):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {a.ndim}")
        for d, (n, m) in enumerate(zip(first, a.shape)):
            if d != place and n != m:
                raise RuntimeError(f"Sizes of tensors must match except in dimension {place}. Expected size "
                                   f"{n} but got size {m} for tensor number {i} in the list.")


def tensor_list(name, tensors):
    """The argument as a tuple of tensors, or the TypeError that says what it is instead."""
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
                        f"{type_name(tensors)}")
    for i, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type_name(t)}")
    return tuple(tensors)


def cat(tensors, dim=0, *, axis=None):
    """The tensors one after the other along `dim`, in the dtype that holds them all.

    Raises:
        RuntimeError: sizes differ in another dimension.
        ValueError: there are no tensors.
    """
    tensors = tensor_list("cat", tensors)
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    dim = dim if axis is None else axis
    if check_cat(tensors, dim) == 0:
        dim = 0
    return _cat(tensors, dim)


concat = concatenate = cat


# --- along a new dimension ----------------------------------------------------------------------------------

@differentiable("StackBackward0", tensors=lambda grad, dim: [
                    _select(grad, dim, i) for i in range(shape_of(grad)[dim])])
def _stack(tensors, dim):
    arrays = list(tensors)
    if any(a.dtype != arrays[0].dtype for a in arrays):
        common = reduce(dtypes.promote, [a.dtype for a in arrays])
        arrays = [a.astype(common, copy=False) for a in arrays]
    if not dim:
        return np.array(arrays)
    return by_rows(np.stack(arrays, dim))


def stack(tensors, dim=0):
    """The tensors, all of one shape, one after the other along a new dimension."""
    tensors = tensor_list("stack", tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = tensors[0]._array.shape
    dim_range(dim, len(first) + 1)
    for i, t in enumerate(tensors):
        if t._array.shape != first:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(first)} at entry "
                               f"0 and {list(t._array.shape)} at entry {i}")
    return _stack(tensors, dim)


# --- by NumPy's names ---------------------------------------------------------------------------------------


def each_or_one(function):
    """A function of one tensor that also takes several, or a list of them, and then returns a tuple."""
    def of_tensors(*tensors):
        if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
            return tuple([function(t) for t in tensors[0]])
        if len(tensors) == 1:
            return function(tensors[0])
        return tuple([function(t) for t in tensors])

    of_tensors.__name__ = of_tensors.__qualname__ = function.__name__
    of_tensors.__doc__ = function.__doc__
    return of_tensors


@each_or_one
def atleast_1d(tensor):
    """The tensor with a dimension, if it has none."""
    return tensor if tensor._array.ndim else shape._reshape(tensor, (1,))


# --- to a common shape --------------------------------------------------------------------------------------

def broadcast_tensors(*tensors):
    """Views of the tensors, expanded to the shape to which all of them broadcast."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tensors[0]
    common = ()
    for t in tensors:
        common = common_shape(common, t._array.shape)
    return tuple([t if t._array.shape == common else expansion._expand(t, common) for t in tensors])


def broadcast_shapes(*shapes):
    """The shape to which the shapes broadcast."""
    shapes = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    if any([size < 0 for sizes in shapes for size in sizes]):
        raise ValueError("Attempting to broadcast a dimension with negative length!")
    result = [1] * max([len(s) for s in shapes], default=0)
    for i, sizes in enumerate(shapes):
        for back in range(-1, -1 - len(sizes), -1):
            size = sizes[back]
            if size != 1 and result[back] not in (1, size):
                raise RuntimeError(f"Attempting to broadcast a dimension of length {size} at {back}! "
                                   f"Mismatching argument at index {i} had {sizes}; but expected shape "
                                   f"should be broadcastable to {result}")
            if size != 1:
                result[back] = size
    return Size(result)


# --- matrices along a diagonal ------------------------------------------------------------------------------


FUNCTIONS_ONLY = """
cat concat concatenate stack atleast_1d broadcast_tensors broadcast_shapes
"""
