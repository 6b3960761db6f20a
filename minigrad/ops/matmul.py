"""Products of tensors with any number of dimensions: matmul (``@``) and linear."""
import math

from ..autograd.operation import differentiable
from ..dtypes import cpp_name, short_name
from ..tensor import Tensor, bump_version
from ..vocabulary import MINIGRAD, more_module
from .declaring import check_dtype, expect_tensors, maybe_multiply, shape_of
from .dimensions import _squeeze_dim, _unsqueeze, t, unsqueeze_to
from .expansion import _expand
from .shape import _reshape

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


# --- the products of vectors and matrices ---------------------------------------------
# The gradient of a matrix is that of the product, times the other matrix transposed.

@differentiable(
    "DotBackward0",
    self=lambda grad, tensor: grad * tensor, tensor=lambda grad, self: grad * self)
def _dot(self, tensor):
    check_dot(self, tensor)
    check_dtype(self, "b", "dot")
    return self @ tensor


@differentiable(
    "MvBackward0",
    self=lambda grad, vec: _reshape(grad, (*shape_of(grad), 1)) * vec,
    vec=lambda grad, self: t(self) @ grad)
def _mv(self, vec):
    check_mv(self, vec)
    check_dtype(self, "b", "addmv_impl_cpu")
    return self @ vec


# A gradient is computed in the order in which its matrix is stored.  In a linear layer
# that is the weight transposed: the gradient of the weight is then stored by rows.

def gradient_of_first(grad, mat2, shape, strides):
    """Return grad @ mat2.T, stored by columns if the first matrix is."""
    if strides == (1, shape[0]):
        return t(mat2 @ t(grad))
    return grad @ t(mat2)


def gradient_of_second(grad, mat1, shape, strides):
    """Return mat1.T @ grad, stored by columns if the second matrix is."""
    if strides == (1, shape[0]):
        return t(t(grad) @ mat1)
    return t(mat1) @ grad


@differentiable(
    "MmBackward0",
    self=lambda grad, mat2, self_shape, self_strides: (
        gradient_of_first(grad, mat2, self_shape, self_strides)),
    mat2=lambda grad, self, mat2_shape, mat2_strides: (
        gradient_of_second(grad, self, mat2_shape, mat2_strides)))
def _mm(self, mat2):
    check_mm(self, mat2)
    check_dtype(self, "b", "addmm_impl_cpu_")
    return self @ mat2


@differentiable(
    "AddmmBackward0",
    self=lambda grad, beta: maybe_multiply(grad, beta),
    mat1=lambda grad, mat2, mat1_shape, mat1_strides, alpha: maybe_multiply(
        gradient_of_first(grad, mat2, mat1_shape, mat1_strides), alpha),
    mat2=lambda grad, mat1, mat2_shape, mat2_strides, alpha: maybe_multiply(
        gradient_of_second(grad, mat1, mat2_shape, mat2_strides), alpha))
def _addmm(self, mat1, mat2, beta, alpha):
    check_dtype(mat1, "b", "addmm_impl_cpu_")
    result = mat1 @ mat2
    if alpha != 1:
        result *= self.dtype.type(alpha)
    if beta == 1:
        result += self
    elif beta != 0:         # with beta 0 `self` does not count, not even its nan
        result += self * self.dtype.type(beta)
    return result


def check_dot(a, b):
    """Raise unless two arrays are vectors of one length and dtype."""
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(
            f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        raise RuntimeError(
            "dot : expected both vectors to have same dtype, but found "
            f"{short_name(a.dtype)} and {short_name(b.dtype)}")
    if a.size != b.size:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a.size}] and src [{b.size}] "
            f"to have the same number of elements, but got {a.size} and {b.size} "
            "elements respectively")


def check_mv(a, b):
    """Raise unless a matrix and a vector have fitting sizes and one dtype."""
    if not a.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if a.ndim != 2 or b.ndim != 1:
        raise RuntimeError(
            f"vector + matrix @ vector expected, got 1, {a.ndim}, {b.ndim}")
    rows, columns = a.shape
    if columns != b.size:
        raise RuntimeError(
            f"size mismatch, got input ({rows}), mat ({rows}x{columns}), "
            f"vec ({b.size})")
    if a.dtype != b.dtype:
        first, second = short_name(a.dtype), short_name(b.dtype)
        raise RuntimeError(
            "addmv input tensors must have the same dtype, but got "
            f"{second}, {first}, and {second}")


def check_mm(a, b):
    """Raise unless two matrices have fitting sizes and one dtype."""
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({len(a)}x{a.shape[1]} and "
            f"{len(b)}x{b.shape[1]})")
    if a.dtype is not b.dtype and a.dtype != b.dtype:
        raise RuntimeError(
            "expected m1 and m2 to have the same dtype, but got: "
            f"{cpp_name(a.dtype)} != {cpp_name(b.dtype)}")


# Two dtypes are refused before they could be promoted.
_dot.operation.refuse = check_dot
_mv.operation.refuse = check_mv
_mm.operation.refuse = check_mm


METHODS = "matmul addmm"
ATTRIBUTES = {"__matmul__": matmul_operator}
