"""Products of vectors and matrices: dot, mv, mm, bmm, matmul (``@``) and linear."""
from __future__ import annotations

import math

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..autograd.operations import ask_for_histories
from ..memory import by_rows
from ..errors import common_shape, counts_arguments
from ..tensor import Tensor
from . import expansion, shape
from .pointwise import not_bool  # noqa

FLOAT32 = dtypes.FLOAT32


def product(a, b):
    """The product of matrices, vectors or batches, in PyTorch's dtypes: halves are added up in float32."""
    if a.dtype is FLOAT32 and b.dtype is FLOAT32:
        if a.ndim == 2:
            return rows_of(np.matmul(a, b)) if b.ndim == 2 else np.matmul(a, b[:, None]).reshape(-1)
        if a.ndim == b.ndim == 3:
            return np.matmul(a, b)
        return np.add.reduce(a * b) if len(a) < 4 else a @ b        # vectors
    if a.dtype == np.float16:
        return product(a.astype(FLOAT32), b.astype(FLOAT32)).astype(np.float16)
    result = a @ b
    return result if result.ndim < 2 else rows_of(result)


def rows_of(result):
    """Of two matrices that lie by columns NumPy makes one that does; PyTorch's lie by rows, and their strides
    say so even where there is one row or column."""
    if result.base is not None and result.base.size != result.size:
        result = result.copy("C")           # the last of running sums, which lie before it
    return by_rows(result.reshape(-1).reshape(result.shape) if 1 in result.shape else result)


# --- vectors ------------------------------------------------------------------------------------------------

@differentiable("DotBackward0",
                self=lambda grad, tensor: grad * tensor,
                tensor=lambda grad, self: grad * self)
def _dot(self, tensor):
    return product(self, tensor)


@differentiable("MvBackward0",
                self=lambda grad, vec: outer_of(grad, vec),
                vec=lambda grad, self: _mv(shape.t(self), grad))
def _mv(self, vec):
    return product(self, vec)


def outer_of(a, b):
    """Every element of one vector times every element of the other."""
    if isinstance(a, Tensor):
        return shape._reshape(a, (a._array.size, 1)) * b
    return a[:, None] * b


@counts_arguments
def dot(self, tensor):
    """The sum of the products of two vectors.

    Raises:
        RuntimeError: they are not 1-D, of one length and of one dtype.
    """
    check_dot(self, tensor, "dot", "tensor")
    return _dot(self, tensor)


def check_dot(self, other, name, parameter):
    a, b = self._array, tensor_of(other, name, parameter)
    if a.ndim == b.ndim == 1 and a.dtype == b.dtype and a.size == b.size:
        not_bool(a, "dot")
        return
    ask_for_histories((self, other))
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {kind_of(a)} and "
                           f"{kind_of(b)}")
    raise RuntimeError(
        f"inconsistent tensor size, expected tensor [{a.size}] and src [{b.size}] to have the same "
        f"number of elements, but got {a.size} and {b.size} elements respectively")


@counts_arguments
def mv(self, vec):
    """A matrix times a vector.

    Raises:
        RuntimeError: the sizes or dtypes do not fit.
    """
    a, b = self._array, tensor_of(vec, "mv", "vec")
    if not a.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if a.ndim != 2 or b.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {a.ndim}, {b.ndim}")
    check_mv(a, b)
    return _mv(self, vec)


def check_mv(a, b, size=None, added=None):
    """`size`: of what is to be added, if it is not as many as there are rows; `added`: it, if anything
    is."""
    rows, columns = a.shape
    if columns != b.shape[0] or size not in (None, rows):
        raise RuntimeError(f"size mismatch, got input ({rows if size is None else size}), mat "
                           f"({rows}x{columns}), vec ({b.shape[0]})")
    first = b if added is None else added
    if not a.dtype == b.dtype == first.dtype:
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {kind_of(first)}, "
                           f"{kind_of(a)}, and {kind_of(b)}")
    not_bool(a, "addmv_impl_cpu")


# --- two matrices -------------------------------------------------------------------------------------------
# The gradient of a matrix that lies column by column is computed transposed, so that it lies the same way:
# that shows in the graphs of second derivatives.

def mm_gradient(grad, mat2, self_shape, self_strides):
    if lies_by_columns(self_shape, self_strides):
        return shape.t(mm_of(mat2, shape.t(grad)))
    return mm_of(grad, shape.t(mat2))


def mm_gradient_of_second(grad, self, mat2_shape, mat2_strides):
    if lies_by_columns(mat2_shape, mat2_strides):
        return shape.t(mm_of(shape.t(grad), self))
    return mm_of(shape.t(self), grad)


@differentiable("MmBackward0", self=mm_gradient, mat2=mm_gradient_of_second)
def _mm(self, mat2):
    if len(mat2) == 1 and self.itemsize > 2 and len(self) > 1 < mat2.shape[1]:
        return rows_of(self * mat2)         # nothing is added up, so -0. stays
    return product(self, mat2)


def lies_by_columns(sizes, strides):
    """Whether a matrix lies in memory column by column, as one that was just transposed."""
    return strides[0] == 1 and strides[1] == sizes[0]


def mm_of(a, b):
    """The product of two matrices whose sizes are known to fit, unless somebody put other numbers under them
    since they were saved."""
    if isinstance(a, Tensor):
        check_matrices(a._array, b._array)
        return _mm(a, b)
    try:
        return product(a, b)
    except ValueError:
        check_matrices(a, b)
        check_mm(a, b)
        raise


def check_matrices(a, b):
    if a.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if b.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")


@counts_arguments
def mm(self, mat2):
    """The product of two matrices.

    Raises:
        RuntimeError: they are not matrices, or the sizes or dtypes do not fit.
    """
    a, b = self._array, tensor_of(mat2, "mm", "mat2")
    check_matrices(a, b)
    check_mm(a, b)
    return _mm(self, mat2)


def check_mm(a, b, mixed="expected m1 and m2 to have the same dtype, but got: {} != {}"):
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and "
                           f"{b.shape[0]}x{b.shape[1]})")
    if a.dtype is not b.dtype and a.dtype != b.dtype:
        raise RuntimeError(mixed.format(dtypes.cpp_name(a.dtype), dtypes.cpp_name(b.dtype)))
    not_bool(a, "addmm_impl_cpu_")


# --- batches of matrices ------------------------------------------------------------------------------------

@differentiable("BmmBackward0",
                self=lambda grad, mat2: _bmm(grad, shape._transpose(mat2, 1, 2)),
                mat2=lambda grad, self: _bmm(shape._transpose(self, 1, 2), grad))
def _bmm(self, mat2):
    if not self.size or not mat2.size:
        return np.zeros((*self.shape[:2], mat2.shape[2]), mat2.dtype)
    return product(self, mat2)


@counts_arguments
def bmm(self, mat2):
    """The products of the matrices of two batches, one by one: (b, n, m) and (b, m, p) give (b, n, p)."""
    a, b = self._array, tensor_of(mat2, "bmm", "mat2")
    if a.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if b.ndim != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    check_bmm(a, b)
    return _bmm(self, mat2)


def check_bmm(a, b, name="bmm"):
    if b.shape[:2] != (a.shape[0], a.shape[2]):
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: "
                           f"[{a.shape[0]}, {a.shape[2]}] but got: [{b.shape[0]}, {b.shape[1]}].")
    if not a.size or not b.size:
        return                          # nothing is multiplied, so PyTorch does not look at the dtypes
    not_bool(a, name)
    if a.dtype != b.dtype:
        raise RuntimeError(f"expected scalar type {kind_of(a)} but found {kind_of(b)}")


# --- matmul: whatever fits ----------------------------------------------------------------------------------


@counts_arguments
def matmul(self, other):
    """The product of tensors, by their dimensions: vectors (dot), matrix and vector, matrices, or batches of
    matrices, whose leading dimensions broadcast.

    Raises:
        RuntimeError: a tensor without dimensions; sizes or dtypes that do not fit.
    """
    a, b = self._array, tensor_of(other, "matmul", "other")
    dims = a.ndim, b.ndim
    try:
        if dims == (2, 2):
            check_mm(a, b)
            return _mm(self, other)
        if dims == (2, 1):
            check_mv(a, b)
            return _mv(self, other)
    except RuntimeError:
        ask_for_histories((self, other))
        raise
    if dims == (1, 1):
        return dot(self, other)
    if dims == (1, 2):
        row = shape.unsqueeze(self, 0)
        check_mm(row._array, b)
        return mm_of(row, other).squeeze_(0)
    if 0 in dims:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {dims[0]}D and "
                           f"{dims[1]}D")
    if folds(self, other):
        return folded(self, other)
    return batched(self, other)


def _matmul_operator(self, other):
    if not isinstance(other, Tensor):
        return NotImplemented
    return matmul(self, other)


def folds(self, other):
    """Whether a batch times one matrix or vector is computed as one tall matrix times it."""
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
    if batch.size == 0:
        return True
    strides, sizes = batch.strides, batch.shape
    return all(strides[i] == strides[i + 1] * sizes[i + 1] for i in range(batch.ndim - 2))


def folded(self, other):
    turned = other._array.ndim > self._array.ndim
    if turned:      # matrix @ batch is the transpose of batch.T @ matrix.T
        self, other = shape._transpose(other, -2, -1), (shape.t(self) if self._array.ndim == 2 else self)
    *lead, columns = self._array.shape
    rows = shape._reshape(self, (math.prod(lead), columns))
    if other._array.ndim == 2:
        check_mm(rows._array, other._array)
        result = shape._unsafe_view(mm_of(rows, other), (*lead, other._array.shape[1]))
        return shape.contiguous(shape._transpose(result, -2, -1)) if turned else result
    check_mv(rows._array, other._array)
    return shape._unsafe_view(_mv(rows, other), tuple(lead))


def batched(self, other):
    a, b = self._array, other._array
    if a.ndim == b.ndim == 3 and a.shape[0] != b.shape[0]:
        if a.shape[0] == 1 and self.requires_grad:
            return matmul(shape.squeeze(self, 0), other)
        if b.shape[0] == 1 and other.requires_grad:
            return matmul(self, shape.squeeze(other, 0))
    first, second = a.shape[-2:], b.shape[-2:]
    lead = common_shape(a.shape[:-2], b.shape[:-2])
    count = math.prod(lead)
    left_sizes = (1, *first[-1:]) if a.ndim == 1 else first
    left = shape._reshape(expansion._expand(self, (*lead, *left_sizes)), (count, *left_sizes))
    if b.ndim == 1:
        right = shape.unsqueeze(shape._reshape(expansion._expand(other, (*lead, *second)), (count, *second)), 2)
    else:
        right = shape._reshape(expansion._expand(other, (*lead, *second)), (count, *second))
    check_bmm(left._array, right._array)
    result = _bmm(left, right)
    if b.ndim == 1:
        result = shape.squeeze(result, -1)
    return shape._unsafe_view(result, (*lead, *first[:-1], *second[1:]))


# --- linear -------------------------------------------------------------------------------------------------

def linear(input, weight, bias=None):
    """input @ weight.T + bias, over the last dimension of `input`: torch.nn.functional.linear."""
    try:
        sizes, turned = input._array.shape, shape.t(weight)
    except (AttributeError, TypeError):
        raise linear_refuses(input, weight) from None
    if not sizes or not weight._array.ndim:
        raise RuntimeError("both arguments to linear need to be at least 1D, but they are "
                           f"{len(sizes)}D and {weight._array.ndim}D")
    if bias is None:
        return matmul(input, turned)
    if not isinstance(bias, Tensor):
        raise argument_must_be("linear", "bias", 3, bias)
    if len(sizes) == 2:
        a, b, c = input._array, turned._array, bias._array
        if a.dtype is b.dtype and b.dtype is c.dtype and sizes[1:] == b.shape[:1] and b.shape[1:] == c.shape:
            return addmm._addmm(bias, input, turned, 1, 1)
        return addmm.addmm(bias, input, turned)
    if weight._array.ndim == 2 and sizes and input._array.flags.c_contiguous:
        rows = shape._reshape(input, (math.prod(sizes[:-1]), sizes[-1]))
        return shape._view(addmm.addmm(bias, rows, turned), (*sizes[:-1], weight._array.shape[0]))
    return matmul(input, turned).add_(bias)


# --- arguments ----------------------------------------------------------------------------------------------

def tensor_of(value, name, parameter):
    """The array of the second argument."""
    if not isinstance(value, Tensor):
        raise argument_must_be(name, parameter, 1, value)
    return value._array


def kind_of(array):
    return dtypes.short_name(array.dtype)


def outer(self, vec2):
    """Every element of one vector times every element of the other: a matrix."""
    addmm.check_outer(self, vec2, "outer")
    return outer_of(self, vec2)


METHODS = "outer " + """
dot mv mm bmm matmul
"""
OPERATORS = {"__matmul__": _matmul_operator}

from . import addmm  # noqa: E402
