"""Undo broadcasting: bring a gradient into the shape and dtype of its input."""
import numpy as np

from .. import dtypes
from ..tensor import Tensor

WRONG_SHAPE = (
    "Function {} returned an invalid gradient at index {} - got {} but expected shape "
    "compatible with {}")


def fit(grad, shape, dtype, node, grads):
    """Return a gradient, an array or a tensor, in this shape and dtype.

    It is one of the results `grads` of `node`, and is summed over the dimensions along
    which the input was broadcast.  Raises RuntimeError if it can't have been.
    """
    is_tensor = isinstance(grad, Tensor)
    array = grad._array if is_tensor else grad
    if array.shape != shape:
        if not broadcasts_to(shape, array.shape):
            index = next((i for i, one in enumerate(grads) if one is grad), 0)
            raise RuntimeError(WRONG_SHAPE.format(
                node.name(), index, list(array.shape), list(shape)))
        grad = grad.sum_to_size(shape) if is_tensor else sum_array_to(array, shape)
    if array.dtype != dtype:
        grad = grad.to(dtypes.BY_NUMPY[dtype]) if is_tensor else grad.astype(dtype)
    return grad


def broadcasts_to(shape, larger):
    lead = len(larger) - len(shape)
    return lead >= 0 and all([n in (1, m) for n, m in zip(shape, larger[lead:])])


def sum_array_to(array, shape):
    """Return the array summed over the dimensions along which `shape` was broadcast."""
    lead = array.ndim - len(shape)
    dims = [*range(lead)]
    for i, n in enumerate(shape, lead):
        if n == 1 and array.shape[i] != 1:
            dims.append(i)
    if dims:
        keepdims = len(dims) > lead
        array = np.asarray(np.add.reduce(array, axis=tuple(dims), keepdims=keepdims))
    # A reshape makes a view, which a leaf would have to copy.
    return array if array.shape == shape else array.reshape(shape)
