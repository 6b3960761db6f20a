"""Dimensions added, removed and exchanged, as views: unsqueeze, t and transpose.

The gradient goes back the same way: what squeezes undoes unsqueeze, and a second
transposition undoes the first.
"""
import numpy as np

from ..autograd.operation import differentiable
from ..autograd.views import shares_memory
from ..errors import dim_range
from ..memory import writeable
from .declaring import numpy_names


def distinct_dims(dims, ndim):
    """Return dimensions counted from the front; RuntimeError if one is named twice."""
    found = [dim_range(dim, ndim) for dim in dims]
    for i, dim in enumerate(found):
        if dim in found[:i]:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    return found


@shares_memory
@differentiable("UnsqueezeBackward0", self=lambda grad, dim: _squeeze_dim(grad, dim))
def _unsqueeze(self, dim):
    dim = dim_range(dim, self.ndim + 1)
    return self.reshape((*self.shape[:dim], 1, *self.shape[dim:]))


@numpy_names
def unsqueeze(self, dim):
    """Return a view with a new dimension of size 1 at `dim`.

        torch.zeros(3).unsqueeze(1)             # shape (3, 1)
    """
    return _unsqueeze(self, dim)


def unsqueeze_multiple(x, dims, ndim):
    """Insert dimensions of size 1, which become the dimensions `dims` of `ndim`."""
    if not ndim:
        return x
    for dim in sorted([dim % ndim for dim in dims]):
        x = _unsqueeze(x, dim)
    return x


def keep_dims(x, dim, sizes, keepdim):
    """Return a reduction's result, or gradient, with the reduced dimensions as 1."""
    if keepdim or not dim:
        return x
    return unsqueeze_multiple(x, dim, len(sizes))


def unsqueeze_to(grad, dim, self_shape):
    """Put back what `squeeze` removed: those of size 1 among `dim`, one or several."""
    if not self_shape:
        return grad
    dims = dim if isinstance(dim, (tuple, list)) else (dim,)
    removed = [d for d in dims if self_shape[d] == 1]
    return unsqueeze_multiple(grad, removed, len(self_shape))


@shares_memory
@differentiable("SqueezeBackward1", self=unsqueeze_to)
def _squeeze_dim(self, dim):
    return without_ones(self, (dim,))


def without_ones(array, dims):
    """Return a view of an array without those of these dimensions whose size is 1."""
    dims = distinct_dims(dims, array.ndim)
    if not array.ndim:
        return array[...]
    return array.squeeze(tuple([dim for dim in dims if array.shape[dim] == 1]))


@shares_memory
@differentiable("TBackward0", self=lambda grad: t(grad))
def t(self):
    """Return a view of a matrix, transposed; a vector stays as it is."""
    if self.ndim > 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


@shares_memory
@differentiable(
    "TransposeBackward0",
    self=lambda grad, dim0, dim1: transpose(grad, dim0, dim1))
def transpose(self, dim0, dim1):
    """Return a view with two dimensions exchanged.

        torch.zeros(2, 3, 4).transpose(0, 2)    # shape (4, 3, 2)
    """
    first = dim_range(dim0, self.ndim)
    second = dim_range(dim1, self.ndim)
    if not self.ndim:
        return self[...]
    return self.swapaxes(first, second)


# --- diagonals ------------------------------------------------------------------------
# ``diagonal`` is a view, ``diag`` a copy, or a matrix with this diagonal.

@shares_memory
@differentiable(
    "DiagonalBackward0",
    self=lambda grad, self_shape, offset, dim1, dim2: (
        diagonal_backward(grad, self_shape, offset, dim1, dim2)))
def _diagonal(self, offset, dim1, dim2):
    if dim_range(dim1, self.ndim) == dim_range(dim2, self.ndim):
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return self.diagonal(offset, dim1, dim2)


@differentiable(
    "DiagonalBackwardBackward0",
    grad_output=lambda grad, offset, dim1, dim2: (
        _diagonal(grad, offset, dim1, dim2)))
def diagonal_backward(grad_output, input_sizes, offset, dim1, dim2):
    result = np.zeros(input_sizes, grad_output.dtype)
    writeable(result.diagonal(offset, dim1, dim2))[...] = grad_output
    return result


@differentiable("DiagonalBackward0_copy", **_diagonal.operation.formulas)
def _diagonal_copy(self, offset, dim1, dim2):
    return self.diagonal(offset, dim1, dim2).copy()


@differentiable(
    "DiagEmbedBackward0",
    self=lambda grad, offset, dim1, dim2: _diagonal(grad, offset, dim1, dim2))
def _diag_embed(self, offset, dim1, dim2):
    return np.diag(self, offset)


def diagonal(self, offset=0, dim1=0, dim2=1):
    """Return a view of the elements whose indices along two dimensions are equal.

        torch.tensor([[1, 2], [3, 4]]).diagonal()       # tensor([1, 4])

    With an `offset` the second index is so much larger than the first.
    """
    return _diagonal(self, offset, dim1, dim2)


def diag(self, diagonal=0):
    """Return a copy of a matrix's diagonal, or the matrix with a vector on a diagonal.

        torch.diag(torch.tensor([1, 2]))                # tensor([[1, 0], [0, 2]])
    """
    ndim = self._array.ndim
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    if ndim == 1:
        return _diag_embed(self, diagonal, -2, -1)
    return _diagonal_copy(self, diagonal, 0, 1)


METHODS = "unsqueeze t transpose diagonal diag"
