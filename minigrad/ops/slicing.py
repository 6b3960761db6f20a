"""Parts of a tensor, as views: one position along a dimension, a range, a sliding window, a diagonal.

The gradient of a part is zero everywhere else: the operations `..._backward` lay it into zeros.
"""
from __future__ import annotations

from numpy import zeros

from ..autograd.differentiable import differentiable
from ..autograd.views import shares_memory
from ..memory import element_strides
from ..errors import counts_arguments, dim_range, whole_number
from ..tensor import Tensor
from .either import shape_of
from .layout import laid
from .shape import _view, contiguous


def int_argument(function, name, position, value):
    return value if type(value) is int else whole_number(value)


ALL = slice(None)

# --- one position -------------------------------------------------------------------------------------------


@shares_memory
@differentiable("SelectBackward0",
                self=lambda grad, self_shape, dim, index: select_backward(grad, self_shape, dim, index))
def _select(self, dim, index):
    return self[index, ...] if dim == 0 else self[along(dim, index, self.ndim)]


@differentiable("SelectBackwardBackward0", grad_output=lambda grad, dim, index: _select(grad, dim, index))
def select_backward(grad_output, input_sizes, dim, index):
    """Zeros of `input_sizes` with the gradient at one position."""
    result = zeros(input_sizes, grad_output.dtype)
    result[along(dim, index, len(input_sizes))] = grad_output
    return result


def along(dim, index, ndim):
    """What to write between brackets to index `dim` only, and get a view even of a single number."""
    return (*(ALL,) * (dim % ndim if dim < 0 else dim), index, ...)


@counts_arguments
def select(self, dim, index):
    """A view of one position along a dimension, which disappears."""
    shape = shape_of(self)
    dim, index = int_argument("select", "dim", 1, dim), int_argument("select", "index", 2, index)
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    size = shape[dim_range(dim, len(shape))]
    if not -size <= index < size:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(shape)} at "
                         f"dimension {dim % len(shape)}")
    return _select(self, dim, index)


# --- a range ------------------------------------------------------------------------------------------------

@shares_memory
@differentiable("SliceBackward0", self=lambda grad, self_shape, dim, start, end, step: slice_backward(
                    grad, self_shape, dim, start, end, step))
def _slice(self, dim, start, end, step):
    return self[start:end:step] if dim == 0 else self[along(dim, slice(start, end, step), self.ndim)]


@differentiable("SliceBackwardBackward0",
                grad_output=lambda grad, dim, start, end, step: _slice(grad, dim, start, end, step))
def slice_backward(grad_output, input_sizes, dim, start, end, step):
    """Zeros of `input_sizes` with the gradient in a range along one dimension."""
    result = zeros(input_sizes, grad_output.dtype)
    result[along(dim, slice(start, end, step), len(input_sizes))] = grad_output
    return result


@counts_arguments
def narrow(self, dim, start, length):
    """A view of `length` positions along a dimension, from `start` on."""
    shape = shape_of(self)
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if isinstance(start, Tensor):
        if start._array.ndim or start._array.dtype.kind not in "iu":
            raise RuntimeError("start must be an 0-dim integral Tensor.")
        start = start.item()
    start, length = int_argument("narrow", "start", 2, start), int_argument("narrow", "length", 3, length)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    size = shape[dim_range(dim, len(shape))]
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got "
                         f"{start})")
    if start < 0:
        start += size
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return _slice(self, dim, start, start + length, 1)


# --- sliding windows ----------------------------------------------------------------------------------------


# --- diagonals ----------------------------------------------------------------------------------------------

@shares_memory
@differentiable("DiagonalBackward0", self=lambda grad, self_shape, offset, dim1, dim2: diagonal_backward(
                    grad, self_shape, offset, dim1, dim2))
def _diagonal(self, offset, dim1, dim2):
    return diagonal_of(self, offset, dim1, dim2)


@differentiable("DiagonalBackwardBackward0",
                grad_output=lambda grad, offset, dim1, dim2: _diagonal(grad, offset, dim1, dim2))
def diagonal_backward(grad_output, input_sizes, offset, dim1, dim2):
    """Zeros of `input_sizes` with the gradient on a diagonal."""
    result = zeros(input_sizes, grad_output.dtype)
    diagonal_of(result, offset, dim1, dim2)[...] = grad_output
    return result


def diagonal_of(array, offset, dim1, dim2):
    """A writable view of a diagonal, as the last dimension."""
    first, second = dim_range(dim1, array.ndim), dim_range(dim2, array.ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    shape, strides = array.shape, element_strides(array)
    if offset >= 0:
        length, start = min(shape[first], shape[second] - offset), offset * strides[second]
    else:
        length, start = min(shape[first] + offset, shape[second]), -offset * strides[first]
    rest = [d for d in range(array.ndim) if d not in (first, second)]
    return laid(array, (*[shape[d] for d in rest], max(length, 0)),
                (*[strides[d] for d in rest], strides[first] + strides[second]), start if length > 0 else 0)


@counts_arguments
def diagonal(self, offset=0, dim1=0, dim2=1):
    """A view of the elements whose indices along two dimensions are equal, or `offset` apart."""
    return _diagonal(self, whole_number(offset), dim1, dim2)


METHODS = """
select narrow diagonal
"""
