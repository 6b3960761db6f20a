"""Products of tensors with any number of dimensions: matmul (``@``) and linear."""
import math

from ..autograd.operation import differentiable
from ..dtypes import short_name
from ..tensor import Tensor, bump_version
from ..vocabulary import MINIGRAD, more_module
from .declaring import expect_tensors
from .dimensions import _squeeze_dim, _unsqueeze, t, unsqueeze_to
from .expansion import _expand
from .products import _addmm, _dot, _mm, _mv, check_mm

_squeeze_product = differentiable(
    "SqueezeBackward4", self=unsqueeze_to)(_squeeze_dim.operation.forward)


def matmul(self, other):
    """Return the product of two tensors, by their dimensions.

    Two vectors: their dot product.  A matrix and a vector, two matrices: their product.
    With more dimensions, the last two are matrices, and the leading ones broadcast.

        torch.ones(5, 2, 3) @ torch.ones(3, 4)      # shape (5, 2, 4)

    Raises RuntimeError for sizes that don't fit, for two dtypes, and for bools.
    """
    if not isinstance(other, Tensor):
        expect_tensors("matmul", other=other)
    a, b = self._array, other._array
    dims = a.ndim, b.ndim
    if dims == (2, 2):
        return _mm(self, other)
    if dims == (2, 1):
        return _mv(self, other)
    if dims == (1, 1):
        return _dot(self, other)
    if 0 in dims:
        raise RuntimeError(
            "both arguments to matmul need to be at least 1D, but they are "
            f"{dims[0]}D and {dims[1]}D")
    if dims == (1, 2):
        return multiply_row(self, other)
    batches = more_module(MINIGRAD, "bmm")      # which few programs need
    return batches.matmul_of_batches(self, other)


def matmul_operator(self, other):
    if not isinstance(other, Tensor):
        return NotImplemented
    return matmul(self, other)


def multiply_row(vector, matrix):
    row = _unsqueeze(vector, 0)
    result = _squeeze_product(_mm(row, matrix), 0)
    bump_version(result)            # PyTorch squeezes the product in place
    return result


def linear(input, weight, bias=None):
    """Return input @ weight.T + bias.

    With n features in and m out: input (..., n), weight (m, n), bias (m,).

        F.linear(torch.ones(5, 3), torch.ones(2, 3)).shape      # torch.Size([5, 2])

    Raises RuntimeError for sizes that don't fit and for two dtypes.
    """
    if not isinstance(input, Tensor) or not isinstance(weight, Tensor):
        expect_tensors("linear", input=input, weight=weight)
    x, w = input._array, weight._array
    turned = t(weight)
    if not x.ndim or not w.ndim:
        raise RuntimeError(
            "both arguments to linear need to be at least 1D, but they are "
            f"{x.ndim}D and {w.ndim}D")
    if bias is None:
        return matmul(input, turned)
    if not isinstance(bias, Tensor):
        expect_tensors("linear", bias=bias)
    if x.ndim == 2:
        return addmm(bias, input, turned)
    if w.ndim == 2 and x.flags.c_contiguous:
        *lead, features = x.shape
        rows = input.reshape((math.prod(lead), features))
        return addmm(bias, rows, turned).view(*lead, len(w))
    return matmul(input, turned).add_(bias)


def addmm(self, mat1, mat2, *, beta=1, alpha=1):
    """Return beta * self + alpha * (mat1 @ mat2); `self` broadcasts to the product.

    Raises RuntimeError unless both are matrices of fitting sizes and all of one dtype.
    """
    if not isinstance(self, Tensor) or not isinstance(mat2, Tensor):
        expect_tensors("addmm", input=self, mat1=mat1, mat2=mat2)
    added, a, b = self._array, mat1._array, mat2._array
    if not (added.dtype is a.dtype is b.dtype and a.ndim == b.ndim == 2):
        check_addmm(added, a, b)
    check_mm(a, b)
    if added.shape != b.shape[1:]:
        _expand.operation.forward(added, (len(a), b.shape[1]))      # for its error
    return _addmm(self, mat1, mat2, beta, alpha)


def check_addmm(added, a, b):
    """Raise unless the last two are matrices, and all have one dtype."""
    for name, array in (("mat1", a), ("mat2", b)):
        if array.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {array.ndim}-D tensor")
    for name, array in (("self", added), ("mat1", a)):
        if array.dtype != b.dtype:
            raise RuntimeError(
                f"{name} and mat2 must have the same dtype, but got "
                f"{short_name(array.dtype)} and {short_name(b.dtype)}")


METHODS = "matmul addmm"
ATTRIBUTES = {"__matmul__": matmul_operator}
