"""A tensor plus a product, beta * self + alpha * product: addmm, addmv, addr, addbmm, baddbmm."""
from __future__ import annotations

import numpy as np

from ..autograd.differentiable import differentiable
from ..autograd.inplace import in_place
from ..errors import only_number
from . import pointwise, shape  # noqa
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
from .pointwise import not_bool  # noqa

scaled = pointwise.times


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


_addmm_in_place = in_place(_addmm)


def check_outer(a, b, name, first="self", second="vec2"):
    for parameter, array in ((first, a._array), (second, tensor_of(b, name, second))):
        if array.ndim != 1:
            raise RuntimeError(f"{name}: Expected 1-D argument {parameter}, but got {array.ndim}-D")


METHODS = """
addmm
"""
