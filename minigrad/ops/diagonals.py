"""Diagonals of matrices: ``diagonal`` is a view, ``diag`` a copy or a matrix of one."""
import numpy as np

from ..autograd.operation import differentiable
from ..autograd.views import shares_memory
from ..errors import dim_range
from ..memory import writeable


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


METHODS = "diagonal diag"
