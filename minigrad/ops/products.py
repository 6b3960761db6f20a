"""Products of vectors and matrices: dot, outer, mv, mm, addmm, bmm.

The gradient of a matrix is the gradient of the product times the other matrix, transposed.
"""
from ..autograd.operation import differentiable
from ..dtypes import cpp_name, short_name
from ..errors import not_implemented_for
from .expansion import _expand
from .formulas import maybe_multiply, shape_of
from .shape import _reshape, t, transpose


def product(kernel, a, b):
    if a.dtype.kind == "b":
        raise not_implemented_for(kernel, a.dtype)
    return a @ b


@differentiable("DotBackward0",
                self=lambda grad, tensor: grad * tensor, tensor=lambda grad, self: grad * self)
def _dot(self, tensor):
    return product("dot", self, tensor)


@differentiable("MvBackward0", self=lambda grad, vec: _reshape(grad, (*shape_of(grad), 1)) * vec,
                vec=lambda grad, self: _mv(t(self), grad))
def _mv(self, vec):
    return product("addmv_impl_cpu", self, vec)


def dot(self, tensor):
    """Return the sum of the products of two vectors of one length and dtype."""
    a, b = self._array, tensor._array
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        raise RuntimeError("dot : expected both vectors to have same dtype, but found "
                           f"{short_name(a.dtype)} and {short_name(b.dtype)}")
    if a.size != b.size:
        raise RuntimeError(f"inconsistent tensor size, expected tensor [{a.size}] and src "
                           f"[{b.size}] to have the same number of elements, but got {a.size} and "
                           f"{b.size} elements respectively")
    return _dot(self, tensor)


def outer(self, vec2):
    """Return the matrix of the products of each element of one vector with each of another."""
    for name, x in (("self", self), ("vec2", vec2)):
        if x._array.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {x._array.ndim}-D")
    return _reshape(self, (self._array.size, 1)) * vec2


def mv(self, vec):
    """Return the product of a matrix and a vector, or raise a RuntimeError."""
    a, b = self._array, vec._array
    if a.ndim != 2 or b.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {a.ndim}, {b.ndim}")
    if a.shape[1] != b.size:
        raise RuntimeError(f"size mismatch, got input ({len(a)}), mat ({len(a)}x{a.shape[1]}), vec "
                           f"({b.size})")
    if a.dtype != b.dtype:
        raise RuntimeError("addmv input tensors must have the same dtype, but got {1}, {0}, and {1}"
                           .format(short_name(a.dtype), short_name(b.dtype)))
    return _mv(self, vec)


# --- matrices -----------------------------------------------------------------------------------
def mm_gradient(grad, mat2, self_shape, self_strides):
    """Return the gradient of a product's first matrix, stored by rows or by columns like it."""
    if self_strides == (1, self_shape[0]):
        return t(_mm(mat2, t(grad)))
    return _mm(grad, t(mat2))


def mm_gradient_of_second(grad, self, mat2_shape, mat2_strides):
    if mat2_strides == (1, mat2_shape[0]):
        return t(_mm(t(grad), self))
    return _mm(t(self), grad)


@differentiable("MmBackward0", self=mm_gradient, mat2=mm_gradient_of_second)
def _mm(self, mat2):
    return product("addmm_impl_cpu_", self, mat2)


@differentiable("AddmmBackward0", self=lambda grad, beta: maybe_multiply(grad, beta),
                mat1=lambda grad, mat2, mat1_shape, mat1_strides, alpha: maybe_multiply(
                    mm_gradient(grad, mat2, mat1_shape, mat1_strides), alpha),
                mat2=lambda grad, mat1, mat2_shape, mat2_strides, alpha: maybe_multiply(
                    mm_gradient_of_second(grad, mat1, mat2_shape, mat2_strides), alpha))
def _addmm(self, mat1, mat2, beta, alpha):
    result = maybe_multiply(product("addmm_impl_cpu_", mat1, mat2), self.dtype.type(alpha))
    if beta:                # with beta = 0 `self` does not count, not even its nan
        result += maybe_multiply(self, self.dtype.type(beta))
    return result


def mm(self, mat2):
    """Return the product of two matrices, or raise a RuntimeError."""
    for name, x in (("self", self), ("mat2", mat2)):
        if x._array.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix")
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
            raise RuntimeError(f"{name} and mat2 must have the same dtype, but got "
                               f"{short_name(array.dtype)} and {short_name(b.dtype)}")
    check_mm(a, b)
    if self._array.shape != b.shape[1:]:
        _expand.operation.forward(self._array, (len(a), b.shape[1]))     # for its error
    return _addmm(self, mat1, mat2, beta, alpha)


def check_mm(a, b):
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({len(a)}x{a.shape[1]} and "
                           f"{len(b)}x{b.shape[1]})")
    if a.dtype is not b.dtype and a.dtype != b.dtype:
        raise RuntimeError("expected m1 and m2 to have the same dtype, but got: "
                           f"{cpp_name(a.dtype)} != {cpp_name(b.dtype)}")


@differentiable("BmmBackward0", self=lambda grad, mat2: _bmm(grad, transpose(mat2, 1, 2)),
                mat2=lambda grad, self: _bmm(transpose(self, 1, 2), grad))
def _bmm(self, mat2):
    return product("bmm", self, mat2)


def bmm(self, mat2):
    """Return the products of the matrices of two batches: (5, 2, 3) x (5, 3, 4) = (5, 2, 4)."""
    a, b = self._array, mat2._array
    for name, array in (("batch1", a), ("batch2", b)):
        if array.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    if b.shape[:2] != (len(a), a.shape[2]):
        raise RuntimeError("Expected size for first two dimensions of batch2 tensor to be: "
                           f"[{len(a)}, {a.shape[2]}] but got: [{len(b)}, {b.shape[1]}].")
    if a.dtype != b.dtype:
        raise RuntimeError(f"expected scalar type {short_name(a.dtype)} but found "
                           f"{short_name(b.dtype)}")
    return _bmm(self, mat2)


METHODS = "addmm bmm dot mm mv outer"
