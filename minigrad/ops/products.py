"""Products of vectors and matrices: the operations, and what their sizes must be.

The gradient of a matrix is that of the product, times the other matrix transposed.
"""
from ..autograd.operation import differentiable
from ..dtypes import cpp_name, short_name
from .declaring import check_dtype
from .dimensions import t
from .formulas import maybe_multiply, shape_of
from .shape import _reshape


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
