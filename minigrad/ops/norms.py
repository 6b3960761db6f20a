"""How long a vector is, by several measures: norm, vector_norm, matrix_norm, dist."""
from __future__ import annotations

import math

import numpy as np

from .. import dtypes
from ..arguments import explain
from ..autograd.differentiable import differentiable
from ..autograd.operations import promoted
from ..memory import by_rows
from ..messages import dim_range, listed_number, only_bool, type_name
from ..tensor import Tensor
from . import axes, elementwise, powers, shape
from .dims import dims_of, numpy_of, unsqueezed
from .either import shape_of
from .layout import sizes_of
from .reduction import _sum_dim, cast
from .summation import add_reduce, add_up

INF = math.inf


def norm_gradient(grad, self, p, norm, dim, keepdim):
    """The gradient of (sum |x|^p)^(1/p); 0, not nan, where the norm is 0."""
    sizes = shape_of(self)
    if not keepdim and sizes and dim:
        grad, norm = unsqueezed(grad, dim, len(sizes)), unsqueezed(norm, dim, len(sizes))
    if p == 0:
        return None
    if p == 1:
        return elementwise.sgn(self) * grad
    if p == 2:
        return grad * choosing.zeroed(self / norm, norm == 0)
    if abs(p) == INF:
        size = elementwise.abs(self)
        mask = (size == norm) | (size != size)
        return elementwise.sgn(self) * ((grad / count_along(mask, dim)) * mask)
    if p < 1:
        scaled = elementwise.sgn(self) * choosing.zeroed(power(elementwise.abs(self), p - 1), self == 0)
        return scaled * grad * power(norm, 1 - p)
    if p < 2:
        scaled = elementwise.sgn(self) * power(elementwise.abs(self), p - 1)
    else:
        scaled = self * power(elementwise.abs(self), p - 2)
    return scaled * choosing.zeroed(grad / power(norm, p - 1), norm == 0)


def power(x, exponent):
    return powers._pow_number(x, float(exponent)) if isinstance(x, Tensor) else x ** exponent


def count_along(mask, dim):
    if isinstance(mask, Tensor):
        return _sum_dim(mask, dim or (), True)
    return add_reduce(mask, axis=dim or None, keepdims=True)


@differentiable("LinalgVectorNormBackward0",
                self=lambda grad, self, ord, result, dim, keepdim: norm_gradient(
                    grad, self, ord, result, dim, keepdim))
def _vector_norm(self, ord, dim, keepdim):
    refuse_whole(self)
    if not self.size and (ord < 0 or ord == INF):
        refuse_empty(self, ord, dim)
    return length(self, ord, dim or (), keepdim)


def refuse_whole(array):
    if array.dtype.kind != "f":
        raise RuntimeError("linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
                           f"{dtypes.short_name(array.dtype)}")


def refuse_empty(array, ord, dim):
    """Of nothing, there is no smallest or largest."""
    empty = [d for d in dim or () if not array.shape[d]]
    if empty or not dim:
        where = (f"on the dimension {empty[0]}because this dimension is empty and" if dim
                 else "on an empty tensor because")
        raise RuntimeError(f"linalg.vector_norm cannot compute the {ord:g} norm {where} the operation does "
                           "not have an identity")


def length(x, p, dim, keepdim):
    if p == 2:
        return np.sqrt(squares_added(x, dim, keepdim))
    size = np.abs(x)
    if p == 1:
        return add_up(size, dim, keepdim)
    if p == INF:
        return by_rows(np.maximum.reduce(
            size, axis=dim or None, keepdims=keepdim, initial=None if x.size else 0))
    if p == -INF:
        return by_rows(np.minimum.reduce(size, axis=dim or None, keepdims=keepdim))
    if p == 0:
        return add_up((x != 0).astype(x.dtype), dim, keepdim)
    kind = x.dtype.type
    return add_up(size ** kind(p), dim, keepdim) ** kind(1 / p)


def squares_added(x, dim, keepdim):
    """The sum of the squares, in PyTorch's order: not as in sum(), but one lane after the other."""
    ndim = x.ndim
    if x.flags.c_contiguous and x.size and x.dtype != np.float16:
        if not dim and not keepdim:
            return along_rows(x.reshape(-1))
        if len(dim) == 1:
            if dim[0] % ndim != ndim - 1:
                return add_reduce(x * x, axis=dim, keepdims=keepdim)
            result = along_rows(x)
            return result[..., None] if keepdim else result
    return add_up(x * x, dim, keepdim)


def along_rows(x):
    n, width = x.shape[-1], 32 // x.itemsize
    whole = n // width * width
    total = x.dtype.type(0)
    if whole:
        front = x[..., :whole]
        lanes = add_reduce((front * front).reshape(*x.shape[:-1], -1, width), axis=-2)
        total = np.add.accumulate(lanes, axis=-1)[..., -1]
    # Of the rest, the compiler of PyTorch takes groups of half the width; what is left it multiplies and adds
    # in one step, without rounding in between.
    apart = whole + (n - whole) // (width // 2) * (width // 2)
    for i in range(whole, n):
        v = x[..., i]
        if i < apart:
            total = total + v * v
        else:
            wide = v.astype(np.float64 if width == 8 else np.longdouble)
            total = (wide * wide + total).astype(x.dtype)
    return total


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    """(sum |x|^ord)^(1/ord) over all elements or along dimension(s); ord may be inf, -inf, 0 (how many are
    not 0).

    Raises:
        RuntimeError: the tensor is not floating-point.
    """
    only_bool(keepdim)
    if dim is not None:
        if isinstance(dim, (tuple, list)):
            dim = tuple([listed_number(d) for d in dim])
        else:
            dim = (listed_number(dim),)
        if dtype is None:
            refuse_whole(x._array)
        dim = dims_of(dim, x._array.ndim)
    if dtype is not None:
        given, wanted = x._array.dtype, numpy_of(dtype)
        if given.kind == "f" and wanted.itemsize < given.itemsize:
            raise RuntimeError(
                f"linalg.vector_norm: the dtype of the input ({dtypes.short_name(given)}) should be "
                f"convertible without narrowing to the specified dtype ({dtypes.short_name(wanted)})")
    return _vector_norm(cast(x, dtype), ord, dim, keepdim)


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    """A norm of matrices.

    ord: "fro"; "nuc", the sum of the singular values; 2, -2, the largest, smallest of them; inf, -inf, 1, -1,
        the largest, smallest sum of absolute values in a row or a column.
    """
    if ord not in ("fro", "nuc") and (isinstance(ord, str) or abs(ord) not in (1, 2, INF)):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    first, second = checked_matrix(A, dim)
    A = cast(A, dtype)
    if A._array.ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    if A._array.dtype.kind != "f":
        raise RuntimeError("linalg.matrix_norm: Expected a floating point or complex tensor as input. Got "
                           f"{dtypes.short_name(A._array.dtype)}")
    if ord == "fro":
        return vector_norm(A, 2, dim, keepdim)
    if ord == "nuc" or abs(ord) == 2:
        others = [d for d in range(A._array.ndim) if d not in (first, second)]
        values = factorisations.svdvals(axes._permute(A, (*others, first, second)))
        if ord == "nuc":
            result = _sum_dim(values, (-1,), keepdim)
        else:
            result = minmax.amax(values, -1, keepdim) if ord > 0 else minmax.amin(values, -1, keepdim)
        return shape.unsqueeze(result, -1) if keepdim else result
    if abs(ord) == INF:
        first, second = second, first
    if second > first and not keepdim:
        second -= 1
    sums = vector_norm(A, 1, first, keepdim)
    return minmax.amax(sums, second, keepdim) if ord > 0 else minmax.amin(sums, second, keepdim)


def checked_matrix(A, dim):
    """The two dimensions of matrices, non-negative; or what matrix_norm() says of them."""
    array, dim = A._array, sizes_of((dim,))
    if array.ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    if array.dtype.kind != "f":
        raise RuntimeError("linalg.matrix_norm: Expected a floating point or complex tensor as input. Got "
                           f"{dtypes.short_name(array.dtype)}")
    if len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    first, second = [dim_range(d, array.ndim) for d in dim]
    if first == second:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({first}, {second})")
    return first, second


def linalg_norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    """torch.linalg.norm: of a vector or a matrix, as `ord` and the dimensions say."""
    ndim = A._array.ndim
    if dim is not None:
        dim = (dim,) if isinstance(dim, int) else tuple(dim)
        if len(dim) not in (1, 2):
            raise RuntimeError("linalg.norm: If dim is specified, it must be of length 1 or 2. Got "
                               f"{list(dim)}")
    elif ord is not None and ndim not in (1, 2):
        raise RuntimeError("linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
                           f"{ndim}D.")
    if isinstance(ord, str) or ord is not None and (ndim if dim is None else len(dim)) == 2:
        return matrix_norm(A, ord, (0, 1) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm(A, 2.0 if ord is None else ord, dim, keepdim, dtype=dtype)


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The p-norm of all elements, or along dimension(s).

    p: a number; "fro", which is 2; or "nuc", the sum of a matrix's singular values.
    """
    input.layout            # noqa: B018   PyTorch asks for this first
    if dim is not None and type(dim) is not int and p == "fro":
        len(dim)
    if type(p) is str:
        if p != "fro" or isinstance(dim, (tuple, list)) and len(dim) > 2:
            dim = range(input._array.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
            return matrix_norm(input, p, tuple(dim), keepdim, dtype=dtype)
        p = 2
    elif p is None:
        p = 2
    try:
        if dim is None and dtype is None and keepdim is False:
            return _vector_norm(input, p, None, keepdim)
        return vector_norm(input, p, dim, keepdim, dtype=dtype)
    except TypeError as error:
        raise explain("linalg_vector_norm", (input, p, dim, keepdim), {}) or error from None


@differentiable("DistBackward0",
                self=lambda grad, self, other, p, result:
                norm_gradient(grad, self - other, p, result, None, True),
                other=lambda grad, self, other, p, result: negated(
                    norm_gradient(grad, self - other, p, result, None, True)))
def _dist(self, other, p):
    arithmetic.refuse_bool(self, other)
    self, other = promoted(self, other)
    difference = self - other
    if difference.dtype.kind != "f":
        raise RuntimeError("norm(): input dtype should be either floating point or complex. Got "
                           f"{dtypes.short_name(difference.dtype)} instead.")
    return length(difference, p, (), False)


def negated(grad):
    return None if grad is None else -grad


def dist(self, other, p=2):
    """The p-norm of the difference of two tensors."""
    if not isinstance(other, Tensor):
        raise TypeError(f"dist(): argument 'other' (position 2) must be Tensor, not {type_name(other)}")
    return _dist(self, other, p)


METHODS = "norm dist"

from . import arithmetic, choosing, factorisations, minmax  # noqa: E402
