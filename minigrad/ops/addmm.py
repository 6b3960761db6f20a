"""A tensor plus a product, beta * self + alpha * product: addmm, addmv, addr, addbmm, baddbmm."""
from __future__ import annotations

import numpy as np

from ..autograd.differentiable import differentiable
from ..autograd.inplace import in_place
from ..messages import only_number
from . import arithmetic, axes, shape
from .linalg import (
    _bmm,
    _mv,
    check_bmm,
    check_mv,
    kind_of,
    mm_gradient,
    mm_gradient_of_second,
    outer_of,
    product,
    tensor_of,
)
from .operands import not_bool

scaled = arithmetic.times


def plus_product(self, result, beta, alpha):
    """What all of these compute; with beta = 0, `self` does not count, not even its nan."""
    kind = result.dtype.type
    if alpha != 1:
        only_number(alpha)
        result = result * kind(alpha)
    if beta == 0:
        return result
    if type(result) is np.ndarray:
        result += self if beta == 1 else self * kind(beta)      # the product is new: nobody else has it yet
        return result
    return result + (self if beta == 1 else self * kind(beta))


@differentiable("AddmmBackward0",
                self=lambda grad, beta: scaled(grad, beta),
                mat1=lambda grad, mat2, mat1_shape, mat1_strides, alpha: scaled(
                    mm_gradient(grad, mat2, mat1_shape, mat1_strides), alpha),
                mat2=lambda grad, mat1, mat2_shape, mat2_strides, alpha: scaled(
                    mm_gradient_of_second(grad, mat1, mat2_shape, mat2_strides), alpha))
def _addmm(self, mat1, mat2, beta, alpha):
    return plus_product(self, product(mat1, mat2), beta, alpha)


@differentiable("AddmvBackward0",
                self=lambda grad, beta: scaled(grad, beta),
                mat=lambda grad, vec, alpha: scaled(outer_of(grad, vec), alpha),
                vec=lambda grad, mat, alpha: scaled(_mv(axes.t(mat), grad), alpha))
def _addmv(self, mat, vec, beta, alpha):
    return plus_product(self, product(mat, vec), beta, alpha)


@differentiable("AddrBackward0",
                self=lambda grad, beta: scaled(grad, beta),
                vec1=lambda grad, vec2, alpha: scaled(_mv(grad, vec2), alpha),
                vec2=lambda grad, vec1, alpha: scaled(_mv(axes.t(grad), vec1), alpha))
def _addr(self, vec1, vec2, beta, alpha):
    return plus_product(self, vec1[:, None] * vec2, beta, alpha)


@differentiable("BaddbmmBackward0",
                self=lambda grad, beta: scaled(grad, beta),
                batch1=lambda grad, batch2, alpha: scaled(_bmm(grad, axes._transpose(batch2, 1, 2)), alpha),
                batch2=lambda grad, batch1, alpha: scaled(_bmm(axes._transpose(batch1, 1, 2), grad), alpha))
def _baddbmm(self, batch1, batch2, beta, alpha):
    return plus_product(self, product(batch1, batch2), beta, alpha)


def for_each_matrix(grad, *sizes):
    """The gradient of the sum of the products as that of each product."""
    return shape._expand(shape.unsqueeze(grad, 0), sizes)


@differentiable("AddbmmBackward0",
                self=lambda grad, beta: scaled(grad, beta),
                batch1=lambda grad, batch1_size0, batch1_size1, batch2, batch2_size2, alpha: scaled(
                    _bmm(for_each_matrix(grad, batch1_size0, batch1_size1, batch2_size2),
                         axes._transpose(batch2, 1, 2)), alpha),
                batch2=lambda grad, batch1, batch1_size0, batch1_size1, batch2_size2, alpha: scaled(
                    _bmm(axes._transpose(batch1, 1, 2),
                         for_each_matrix(grad, batch1_size0, batch1_size1, batch2_size2)), alpha))
def _addbmm(self, batch1, batch2, beta, alpha):
    return plus_product(self, np.add.reduce(product(batch1, batch2), axis=0), beta, alpha)


def addmm(self, mat1, mat2, *, beta=1, alpha=1):
    """beta * self + alpha * (mat1 @ mat2); `self` broadcasts to the product."""
    return _addmm(*addmm_arguments(self, mat1, mat2), beta, alpha)


def addmm_arguments(self, mat1, mat2):
    a, b = mat1._array, mat2._array
    if a.ndim != 2:
        raise RuntimeError(f"mat1 must be a matrix, got {a.ndim}-D tensor")
    if b.ndim != 2:
        raise RuntimeError(f"mat2 must be a matrix, got {b.ndim}-D tensor")
    if self._array.dtype != b.dtype:
        raise RuntimeError(f"self and mat2 must have the same dtype, but got {kind_of(self._array)} and "
                           f"{kind_of(b)}")
    if a.dtype != b.dtype:
        raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {kind_of(a)} and {kind_of(b)}")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and "
                           f"{b.shape[0]}x{b.shape[1]})")
    not_bool(a, "addmm_impl_cpu_")
    check_fits(self._array.shape, (a.shape[0], b.shape[1]))
    return self, mat1, mat2


def check_fits(given, size):
    """Whether a shape expands to the shape of a product."""
    if len(given) > len(size):
        raise RuntimeError(f"expand(torch.FloatTensor{{{list(given)}}}, size={list(size)}): the number of "
                           f"sizes provided ({len(size)}) must be greater or equal to the number of "
                           f"dimensions in the tensor ({len(given)})")
    for back in range(1, len(given) + 1):
        if given[-back] not in (1, size[-back]):
            raise RuntimeError(
                f"The expanded size of the tensor ({size[-back]}) must match the existing size "
                f"({given[-back]}) at non-singleton dimension {len(size) - back}.  Target sizes: "
                f"{list(size)}.  Tensor sizes: {list(given)}")


def addmv(self, mat, vec, *, beta=1, alpha=1):
    """beta * self + alpha * (mat @ vec)."""
    given = self._array.shape
    if mat._array.ndim != 2 or vec._array.ndim != 1 or len(given) > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {self._array.ndim}, {mat._array.ndim}, "
                           f"{vec._array.ndim}")
    fits = given == (1,) and mat._array.shape[1:] == vec._array.shape or not given
    check_mv(mat._array, vec._array, None if fits else given[0], self._array)
    return _addmv(self, mat, vec, beta, alpha)


def addr(self, vec1, vec2, *, beta=1, alpha=1):
    """beta * self + alpha * outer(vec1, vec2)."""
    check_outer(vec1, vec2, "addr", "vec1", "vec2")
    check_fits(self._array.shape, vec1._array.shape + vec2._array.shape)
    return _addr(self, vec1, vec2, beta, alpha)


def baddbmm(self, batch1, batch2, *, beta=1, alpha=1):
    """beta * self + alpha * bmm(batch1, batch2)."""
    check_batches(batch1, batch2, self)
    return _baddbmm(self, batch1, batch2, beta, alpha)


def addbmm(self, batch1, batch2, *, beta=1, alpha=1):
    """beta * self + alpha * (the sum of the products of the batches)."""
    check_batches(batch1, batch2)
    return _addbmm(self, batch1, batch2, beta, alpha)


def check_batches(batch1, batch2, added=None):
    if added is not None:
        shape._expand(added.detach(), (batch1.size(0), batch1.size(1), batch2.size(2)))
    for name, batch in (("batch1", batch1), ("batch2", batch2)):
        if batch._array.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    check_bmm(batch1._array, batch2._array, "baddbmm")


_addmm_in_place, _addmv_in_place, _addr_in_place = in_place(_addmm), in_place(_addmv), in_place(_addr)
_baddbmm_in_place, _addbmm_in_place = in_place(_baddbmm), in_place(_addbmm)


def addmm_(self, mat1, mat2, *, beta=1, alpha=1):
    """`addmm` written over the tensor."""
    check_own_size(self, mat1._array.shape[:1] + mat2._array.shape[1:], mat1, mat2)
    return _addmm_in_place(*addmm_arguments(self, mat1, mat2), beta, alpha)


def addmv_(self, mat, vec, *, beta=1, alpha=1):
    """`addmv` written over the tensor."""
    check_mv(mat._array, vec._array)
    check_own_size(self, mat._array.shape[:1], mat)
    check_mv(mat._array, vec._array, None, self._array)
    return _addmv_in_place(self, mat, vec, beta, alpha)


def addr_(self, vec1, vec2, *, beta=1, alpha=1):
    """`addr` written over the tensor."""
    if self._array.ndim != 2:
        raise RuntimeError(f"2D tensor expected, got {self._array.ndim}D tensor for input")
    check_outer(vec1, vec2, "addr", "vec1", "vec2")
    return _addr_in_place(self, vec1, vec2, beta, alpha)


def baddbmm_(self, batch1, batch2, *, beta=1, alpha=1):
    """`baddbmm` written over the tensor."""
    check_own_size(self, batch1._array.shape[:2] + batch2._array.shape[2:], batch1, batch2)
    check_batches(batch1, batch2, self)
    return _baddbmm_in_place(self, batch1, batch2, beta, alpha)


def addbmm_(self, batch1, batch2, *, beta=1, alpha=1):
    """`addbmm` written over the tensor."""
    check_batches(batch1, batch2)
    size = batch1._array.shape[1], batch2._array.shape[2]
    if self._array.shape != size:       # PyTorch lets this one grow
        grown = addbmm(self, batch1, batch2, beta=beta, alpha=alpha)
        return self.resize_(size).copy_(grown)
    return _addbmm_in_place(self, batch1, batch2, beta, alpha)


def check_own_size(self, size, *factors):
    """What is written in place must have the size of the product already; `factors`: what it is made of."""
    if self._array.shape != size and all([x._array.ndim > 1 for x in factors]):
        raise RuntimeError(f"Bad in-place call: input tensor size {list(self._array.shape)} and output "
                           f"tensor size {list(size)} should match")


def check_outer(a, b, name, first="self", second="vec2"):
    for parameter, array in ((first, a._array), (second, tensor_of(b, name, second))):
        if array.ndim != 1:
            raise RuntimeError(f"{name}: Expected 1-D argument {parameter}, but got {array.ndim}-D")


METHODS = "addmm addmv addr baddbmm addbmm"
METHODS_ONLY = "addmm_ addmv_ addr_ baddbmm_ addbmm_"
