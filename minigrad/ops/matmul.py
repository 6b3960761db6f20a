"""Products of vectors and matrices: dot, mv, mm, bmm, addmm; matmul (``@``) and linear, made of these; outer.

The gradient of a matrix is the gradient of the product times the other matrix, transposed.
"""
from __future__ import annotations

import math

import numpy as np

from .. import dtypes
from ..autograd.operation import differentiable
from ..errors import common_shape, not_implemented_for
from ..tensor import Tensor, bump_version
from .expansion import _expand
from .formulas import maybe_multiply, shape_of
from .shape import _reshape, _squeeze_dim, _transpose, _unsafe_view, _unsqueeze, _view, contiguous, t

# --- vectors ------------------------------------------------------------------------------------------------


@differentiable("DotBackward0",
                self=lambda grad, tensor: grad * tensor,
                tensor=lambda grad, self: grad * self)
def _dot(self, tensor):
    return np.asarray(self @ tensor)


@differentiable("MvBackward0",
                self=lambda grad, vec: _reshape(grad, (*shape_of(grad), 1)) * vec,
                vec=lambda grad, self: _mv(t(self), grad))
def _mv(self, vec):
    return self @ vec


def dot(self, tensor):
    """Return the sum of the products of two vectors.

    Raises:
        RuntimeError: they are not 1-D, of one length and of one dtype.
    """
    a, b = self._array, tensor._array
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {kind_of(a)} and "
                           f"{kind_of(b)}")
    if a.size != b.size:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a.size}] and src [{b.size}] to have the same number of "
            f"elements, but got {a.size} and {b.size} elements respectively")
    check_not_bool(a, "dot")
    return _dot(self, tensor)


def outer(self, vec2):
    """Return the matrix of the products of every element of one vector with every element of another."""
    for name, x in (("self", self), ("vec2", vec2)):
        if x._array.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {x._array.ndim}-D")
    return _reshape(self, (self._array.size, 1)) * vec2


def mv(self, vec):
    """Return the product of a matrix and a vector.

    Raises:
        RuntimeError: the sizes or dtypes do not fit.
    """
    a, b = self._array, vec._array
    if a.ndim != 2 or b.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {a.ndim}, {b.ndim}")
    rows, columns = a.shape
    if columns != b.size:
        raise RuntimeError(f"size mismatch, got input ({rows}), mat ({rows}x{columns}), vec ({b.size})")
    if a.dtype != b.dtype:
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {kind_of(b)}, {kind_of(a)}, "
                           f"and {kind_of(b)}")
    check_not_bool(a, "addmv_impl_cpu")
    return _mv(self, vec)


# --- matrices -----------------------------------------------------------------------------------------------
# The gradient of a matrix that lies in memory column by column, as one just transposed does, is computed
# transposed, so that its numbers are in the same order: that shows in the graphs of second derivatives.

def mm_gradient(grad, mat2, self_shape, self_strides):
    if is_by_columns(self_shape, self_strides):
        return t(_mm(mat2, t(grad)))
    return _mm(grad, t(mat2))


def mm_gradient_of_second(grad, self, mat2_shape, mat2_strides):
    if is_by_columns(mat2_shape, mat2_strides):
        return t(_mm(t(grad), self))
    return _mm(t(self), grad)


def is_by_columns(sizes, strides):
    return strides[0] == 1 and strides[1] == sizes[0]


@differentiable("MmBackward0", self=mm_gradient, mat2=mm_gradient_of_second)
def _mm(self, mat2):
    return self @ mat2


@differentiable("AddmmBackward0",
                self=lambda grad, beta: maybe_multiply(grad, beta),
                mat1=lambda grad, mat2, mat1_shape, mat1_strides, alpha: maybe_multiply(
                    mm_gradient(grad, mat2, mat1_shape, mat1_strides), alpha),
                mat2=lambda grad, mat1, mat2_shape, mat2_strides, alpha: maybe_multiply(
                    mm_gradient_of_second(grad, mat1, mat2_shape, mat2_strides), alpha))
def _addmm(self, mat1, mat2, beta, alpha):
    result = mat1 @ mat2
    if alpha != 1:
        result *= result.dtype.type(alpha)
    if beta:                # with beta = 0 `self` does not count, not even its nan
        result += self if beta == 1 else self * result.dtype.type(beta)
    return result


def mm(self, mat2):
    """Return the product of two matrices.

        torch.mm(torch.ones(2, 3), torch.ones(3, 1))        # tensor([[3.], [3.]])

    Raises:
        RuntimeError: they are not matrices, or the sizes or dtypes do not fit.
    """
    if self._array.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if mat2._array.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    check_mm(self._array, mat2._array)
    return _mm(self, mat2)


def addmm(self, mat1, mat2, *, beta=1, alpha=1):
    """Return beta * self + alpha * (mat1 @ mat2); `self` broadcasts to the product."""
    a, b = mat1._array, mat2._array
    for name, array in (("mat1", a), ("mat2", b)):
        if array.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {array.ndim}-D tensor")
    for name, array in (("self", self._array), ("mat1", a)):
        if array.dtype != b.dtype:
            raise RuntimeError(f"{name} and mat2 must have the same dtype, but got {kind_of(array)} and "
                               f"{kind_of(b)}")
    check_mm(a, b)
    if self._array.shape != (a.shape[0], b.shape[1]):
        _expand.operation.forward(self._array, (a.shape[0], b.shape[1]))     # for its error
    return _addmm(self, mat1, mat2, beta, alpha)


def check_mm(a, b):
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and "
                           f"{b.shape[0]}x{b.shape[1]})")
    if a.dtype is not b.dtype and a.dtype != b.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {dtypes.cpp_name(a.dtype)} != "
                           f"{dtypes.cpp_name(b.dtype)}")
    check_not_bool(a, "addmm_impl_cpu_")


def check_not_bool(array, kernel):
    if array.dtype.kind == "b":
        raise not_implemented_for(kernel, array.dtype)


def kind_of(array):
    return dtypes.short_name(array.dtype)


# --- batches of matrices ------------------------------------------------------------------------------------

@differentiable("BmmBackward0",
                self=lambda grad, mat2: _bmm(grad, _transpose(mat2, 1, 2)),
                mat2=lambda grad, self: _bmm(_transpose(self, 1, 2), grad))
def _bmm(self, mat2):
    return self @ mat2


def bmm(self, mat2):
    """Return the products of the matrices of two batches: (b, n, m) and (b, m, p) give (b, n, p)."""
    a, b = self._array, mat2._array
    for name, array in (("batch1", a), ("batch2", b)):
        if array.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    if b.shape[:2] != (a.shape[0], a.shape[2]):
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: [{a.shape[0]}, "
                           f"{a.shape[2]}] but got: [{b.shape[0]}, {b.shape[1]}].")
    if a.dtype != b.dtype:
        raise RuntimeError(f"expected scalar type {kind_of(a)} but found {kind_of(b)}")
    check_not_bool(a, "bmm")
    return _bmm(self, mat2)


# --- whatever fits ------------------------------------------------------------------------------------------

def matmul(self, other):
    """Return the product of two tensors, by their dimensions.

    Two vectors: their dot product. A matrix and a vector, two matrices: their product. With more dimensions,
    the last two are matrices, and the leading ones broadcast.

        torch.ones(5, 2, 3) @ torch.ones(3, 4)      # shape (5, 2, 4)

    Raises:
        RuntimeError: a tensor has no dimensions; the sizes or dtypes do not fit.
    """
    dims = self._array.ndim, other._array.ndim
    if dims == (2, 2):
        check_mm(self._array, other._array)
        return _mm(self, other)
    if dims == (2, 1):
        return mv(self, other)
    if dims == (1, 1):
        return dot(self, other)
    if 0 in dims:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {dims[0]}D and "
                           f"{dims[1]}D")
    if dims == (1, 2):
        return _squeeze_in_place(mm(_unsqueeze(self, 0), other), 0)
    return folded(self, other) if folds(self, other) else batched(self, other)


def matmul_operator(self, other):
    return matmul(self, other) if isinstance(other, Tensor) else NotImplemented


@differentiable("SqueezeBackward4", self=lambda grad, dim, self_shape: _unsqueeze(grad, dim))
def _squeezed(self, dim):
    return self.squeeze(dim)


def _squeeze_in_place(product, dim):
    """Take a dimension of size 1 away, as PyTorch does in the memory of the product itself."""
    result = _squeezed(product, dim)
    bump_version(result)
    return result


def folds(self, other):
    """Return whether a batch times one matrix or vector is computed as one tall matrix times it."""
    if self._array.ndim >= other._array.ndim:
        batch, smaller = self._array, other
    else:
        batch, smaller = other._array.swapaxes(-1, -2), self
    if batch.ndim < 3 or smaller._array.ndim > 2:
        return False
    if smaller.requires_grad:
        return True                 # copies, perhaps, but saves a gradient for every matrix of the batch
    if self._array.ndim == 2:
        return False
    strides, sizes = batch.strides, batch.shape
    return not batch.size or all([strides[i] == strides[i + 1] * sizes[i + 1] for i in range(batch.ndim - 2)])


def folded(self, other):
    turned = other._array.ndim > self._array.ndim
    if turned:      # matrix @ batch is the transpose of batch.T @ matrix.T
        self, other = _transpose(other, -2, -1), t(self) if self._array.ndim == 2 else self
    *lead, columns = self._array.shape
    rows = _reshape(self, (math.prod(lead), columns))
    if other._array.ndim == 1:
        return _unsafe_view(mv(rows, other), tuple(lead))
    result = _unsafe_view(mm(rows, other), (*lead, other._array.shape[1]))
    return contiguous(_transpose(result, -2, -1)) if turned else result


def batched(self, other):
    a, b = self._array, other._array
    if a.ndim == b.ndim == 3 and a.shape[0] != b.shape[0]:
        if a.shape[0] == 1 and self.requires_grad:
            return matmul(_squeeze_dim(self, 0), other)
        if b.shape[0] == 1 and other.requires_grad:
            return matmul(self, _squeeze_dim(other, 0))
    lead = common_shape(a.shape[:-2], b.shape[:-2])
    left = batch_of(self, lead, (1, *a.shape) if a.ndim == 1 else a.shape[-2:])
    right = batch_of(other, lead, b.shape[-2:])
    if b.ndim == 1:
        result = _squeeze_dim(bmm(left, _unsqueeze(right, 2)), -1)
    else:
        result = bmm(left, right)
    return _unsafe_view(result, (*lead, *a.shape[-2:-1], *b.shape[-2:][1:]))


def batch_of(x, lead, sizes):
    """Return a tensor broadcast to the leading dimensions `lead`, which are then run into one."""
    return _reshape(_expand(x, (*lead, *sizes)), (math.prod(lead), *sizes))


def linear(input, weight, bias=None):
    """Return input @ weight.T + bias, over the last dimension of `input`: torch.nn.functional.linear."""
    sizes, turned = input._array.shape, t(weight)
    if not sizes or not weight._array.ndim:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {len(sizes)}D and "
                           f"{weight._array.ndim}D")
    if bias is None:
        return matmul(input, turned)
    if len(sizes) == 2:
        return addmm(bias, input, turned)
    if weight._array.ndim == 2 and input._array.flags.c_contiguous:
        rows = _reshape(input, (math.prod(sizes[:-1]), sizes[-1]))
        return _view(addmm(bias, rows, turned), (*sizes[:-1], weight._array.shape[0]))
    return matmul(input, turned).add_(bias)


METHODS = "addmm bmm dot matmul mm mv outer"
OPERATORS = {"__matmul__": matmul_operator}
