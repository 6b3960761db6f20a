"""Parts of a tensor, as views: a position along a dimension, a range, a diagonal, any part at all.

The gradient of a part is zero everywhere else: the operations `..._backward` write it into zeros.
"""
import numpy as np

from ..autograd import strided
from ..autograd.operation import differentiable
from ..autograd.views import shares_memory
from ..errors import dim_range
from ..memory import extent, geometry, root, writeable
from .shape import sizes_of


def along(dim, index, ndim):
    """Return what to write between brackets to index `dim` alone; a number is a view, too."""
    return (*(slice(None),) * (dim % ndim if dim < 0 else dim), index, ...)


@shares_memory
@differentiable("SelectBackward0", self=lambda grad, self_shape, dim, index: select_backward(
    grad, self_shape, dim, index))
def _select(self, dim, index):
    return self[index, ...] if dim == 0 else self[along(dim, index, self.ndim)]


@differentiable("SelectBackwardBackward0", grad_output=lambda grad, dim, index: _select(
    grad, dim, index))
def select_backward(grad_output, input_sizes, dim, index):
    result = np.zeros(input_sizes, grad_output.dtype)
    result[along(dim, index, len(input_sizes))] = grad_output
    return result


def select(self, dim, index):
    """Return a view of one position along a dimension, which disappears."""
    shape, index = self._array.shape, int(index)
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    size = shape[dim_range(dim, len(shape))]
    if not -size <= index < size:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(shape)} "
                         f"at dimension {dim % len(shape)}")
    return _select(self, dim, index)


@shares_memory
@differentiable("SliceBackward0", self=lambda grad, self_shape, dim, start, end, step: (
    slice_backward(grad, self_shape, dim, start, end, step)))
def _slice(self, dim, start, end, step):
    part = slice(start, end, step)
    return self[part] if dim == 0 else self[along(dim, part, self.ndim)]


@differentiable("SliceBackwardBackward0", grad_output=lambda grad, dim, start, end, step: _slice(
    grad, dim, start, end, step))
def slice_backward(grad_output, input_sizes, dim, start, end, step):
    result = np.zeros(input_sizes, grad_output.dtype)
    result[along(dim, slice(start, end, step), len(input_sizes))] = grad_output
    return result


def narrow(self, dim, start, length):
    """Return a view of `length` positions along a dimension, from `start` on."""
    shape = self._array.shape
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    start, size = int(start), shape[dim_range(dim, len(shape))]
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but "
                         f"got {start})")
    start += size if start < 0 else 0
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return _slice(self, dim, start, start + length, 1)


@shares_memory
@differentiable("DiagonalBackward0", self=lambda grad, self_shape, offset, dim1, dim2: (
    diagonal_backward(grad, self_shape, offset, dim1, dim2)))
def _diagonal(self, offset, dim1, dim2):
    if dim_range(dim1, self.ndim) == dim_range(dim2, self.ndim):
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return self.diagonal(offset, dim1, dim2)


@differentiable("DiagonalBackwardBackward0", grad_output=lambda grad, offset, dim1, dim2: _diagonal(
    grad, offset, dim1, dim2))
def diagonal_backward(grad_output, input_sizes, offset, dim1, dim2):
    result = np.zeros(input_sizes, grad_output.dtype)
    writeable(result.diagonal(offset, dim1, dim2))[...] = grad_output
    return result


@differentiable("DiagonalBackward0_copy", **_diagonal.operation.formulas)
def _diagonal_copy(self, offset, dim1, dim2):
    return self.diagonal(offset, dim1, dim2).copy()


@differentiable("DiagEmbedBackward0", self=lambda grad, offset, dim1, dim2: _diagonal(
    grad, offset, dim1, dim2))
def _diag_embed(self, offset, dim1, dim2):
    return np.diag(self, offset)


def diagonal(self, offset=0, dim1=0, dim2=1):
    """Return a view of the elements whose indices along two dimensions are `offset` apart."""
    return _diagonal(self, offset, dim1, dim2)


def diag(self, diagonal=0):
    """Return a copy of a diagonal of a matrix, or the matrix with a vector on a diagonal."""
    ndim = self._array.ndim
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    if ndim == 1:
        return _diag_embed(self, diagonal, -2, -1)
    return _diagonal_copy(self, diagonal, 0, 1)


_as_strided = shares_memory(strided.as_strided)


def as_strided(self, size, stride, storage_offset=None):
    """Return a view of this tensor's memory by shape, strides and offset, counted in elements."""
    size, stride, source = sizes_of(size), sizes_of(stride), geometry(self._array)
    offset, itemsize = source[2] if storage_offset is None else storage_offset, self._array.itemsize
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if min(stride, default=0) < 0:
        raise RuntimeError("as_strided: Negative strides are not supported at the moment, got "
                           f"strides: {list(stride)}")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    need, have = extent(size, stride, offset) * itemsize, root(self._array).nbytes
    if need > have:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and "
            f"itemsize {itemsize} requiring a storage size of {need} are out of bounds for storage "
            f"of size {have}")
    return _as_strided(self, size, stride, storage_offset, source)


METHODS = "select narrow diagonal diag as_strided"
