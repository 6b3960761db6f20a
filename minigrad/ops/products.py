"""Other products: inner, outer, tensordot, kron, cross, multi_dot, matrix_power, trace."""
from __future__ import annotations

import math

import numpy as np

from .. import dtypes
from ..arguments import explain
from ..autograd.differentiable import differentiable
from ..messages import counts_arguments, dim_range, listed_number
from ..tensor import Tensor, wrap
from ..warn import warn_once
from . import axes, linalg, reduction, shape
from .addmm import check_outer
from .dims import one_dim
from .either import beside, zeros_beside
from .operands import not_bool
from .reduction import _sum_dim


@counts_arguments
def outer(self, vec2):
    """Every element of one vector times every element of the other: a matrix."""
    check_outer(self, vec2, "outer")
    return linalg.outer_of(self, vec2)


@counts_arguments
def ger(self, vec2):
    """`outer` under its old name."""
    check_outer(self, vec2, "outer")
    return linalg.outer_of(self, vec2)


@counts_arguments
def inner(self, other):
    """The products along the last dimension, added up; for vectors, `dot`."""
    a, b = self._array, linalg.tensor_of(other, "inner", "other")
    if not a.ndim or not b.ndim:
        return self * other
    if a.shape[-1] != b.shape[-1]:
        raise RuntimeError("inner() the last dimension must match on both input tensors but got shapes "
                           f"{list(a.shape)} and {list(b.shape)}")
    return contracted(self, other, [a.ndim - 1], [b.ndim - 1])


def tensordot(a, b, dims=2):
    """The products over pairs of dimensions, added up: the last `dims` of `a` with the first of `b`, or two
    lists.

    Raises:
        RuntimeError: paired dimensions differ in size.
    """
    if not isinstance(dims, (tuple, list, Tensor, int)):
        raise RuntimeError("tensordot expects dims to be int or tuple[list[int], list[int]] or "
                           f"list[list[int]] containing two lists, but got dims={dims}")
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims._array.size > 1 else int(dims)
        shallowest = dims
    elif not isinstance(dims, (tuple, list)):
        shallowest = min(a.dim(), b.dim())
    if isinstance(dims, (tuple, list)):
        first, second = dims
    else:
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > shallowest:
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        first, second = list(range(-dims, 0)), list(range(dims))
    try:
        return contracted_dims(a, b, first, second)
    except (AttributeError, TypeError) as error:
        raise explain("_VF.tensordot", (a, b, first, second), {}) or error from None


def contracted_dims(a, b, first, second):
    first, second = [listed_number(d) for d in first], [listed_number(d) for d in second]
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    return contracted(a, b, first, second)


def contracted(a, b, first, second):
    """Multiply as matrices: what stays by what goes, times what goes by what stays."""
    if a._array.dtype != b._array.dtype:
        raise RuntimeError("both inputs should have same dtype")
    for d, e in zip(list(first), list(second)):
        dim_range(d, a._array.ndim), dim_range(e, b._array.ndim)
        n, m = a._array.shape[d], b._array.shape[e]
        if m == 1:
            a = _sum_dim(a, (d,), True)
        elif n == 1:
            b = _sum_dim(b, (e,), True)
        elif n != m:
            raise RuntimeError(f"contracted dimensions need to match, but first has size {n} in dim {d} and "
                               f"second has size {m} in dim {e}")
    first = [dim_range(d, a._array.ndim) for d in first]
    second = [dim_range(d, b._array.ndim) for d in second]
    stay_a = [i for i in range(a._array.ndim) if i not in first]
    stay_b = [i for i in range(b._array.ndim) if i not in second]
    sizes_a, sizes_b = [a._array.shape[i] for i in stay_a], [b._array.shape[i] for i in stay_b]
    count = math.prod([a._array.shape[d] for d in first])
    left, right = axes._permute(a, (*stay_a, *first)), axes._permute(b, (*second, *stay_b))
    rows, columns = math.prod(sizes_a), math.prod(sizes_b)
    if rows == columns == 1 and not (left._array.flags.c_contiguous and right._array.flags.c_contiguous):
        result = reduction.sum(shape.squeeze(left) * shape.squeeze(right))
    elif rows == columns == 1:
        result = linalg.dot(*[x if x._array.ndim == 1 else shape._reshape(x, (count,))
                              for x in (left, right)])
    else:
        result = linalg.mm(shape._reshape(left, (rows, count)), shape._reshape(right, (count, columns)))
    return shape._reshape(result, (*sizes_a, *sizes_b))


def kron(self, other):
    """The Kronecker product: every element of one tensor times the whole of the other."""
    ndim = max(self._array.ndim, other._array.ndim)
    a = (1,) * (ndim - self._array.ndim) + self._array.shape
    b = (1,) * (ndim - other._array.ndim) + other._array.shape
    left = shape._unsafe_view(self, tuple([m for n in a for m in (n, 1)]))
    right = shape._unsafe_view(other, tuple([m for n in b for m in (1, n)]))
    return shape._unsafe_view(left * right, tuple([n * m for n, m in zip(a, b)]))


# --- several matrices ---------------------------------------------------------------------------------------

def multi_dot(tensors):
    """The product of several matrices, in the order that takes the fewest steps; the ends may be vectors."""
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(f"'{type(tensors).__name__}' object is not a list")
    tensors = list(tensors)
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    for which, x in (("first", tensors[0]), ("last", tensors[-1])):
        if x._array.ndim not in (1, 2):
            raise RuntimeError(f"multi_dot(): the {which} tensor must be 1D or 2D but got {x._array.ndim}D")
    sizes = []
    if tensors[0]._array.ndim == 1:
        tensors[0] = shape.unsqueeze(tensors[0], 0)
    else:
        sizes.append(tensors[0]._array.shape[0])
    if tensors[-1]._array.ndim == 1:
        tensors[-1] = shape.unsqueeze(tensors[-1], -1)
    else:
        sizes.append(tensors[-1]._array.shape[1])
    for i, x in enumerate(tensors):
        if x._array.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {x._array.ndim}D")
        if x._array.dtype != tensors[0]._array.dtype:
            raise RuntimeError("multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                               f"{dtypes.cpp_name(tensors[0]._array.dtype)} and tensor {i} "
                               f"{dtypes.cpp_name(x._array.dtype)}")
    for i, x in enumerate(tensors):
        if i and tensors[i - 1]._array.shape[1] != x._array.shape[0]:
            a, b = tensors[i - 1]._array.shape, x._array.shape
            raise RuntimeError(f"multi_dot(): tensors {i - 1} and {i} with shapes [{a[0]}, {a[1]}] and "
                               f"[{b[0]}, {b[1]}] cannot be multiplied")
    return shape._view(product_in_order(tensors), tuple(sizes))


def product_in_order(matrices):
    """The product of a chain of matrices, cut where the two halves and their product cost the least."""
    count = len(matrices)
    sizes = [m._array.shape[0] for m in matrices] + [matrices[-1]._array.shape[1]]
    cost, cut = {(i, i): 0 for i in range(count)}, {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            options = [(cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1],
                        k) for k in range(i, j)]
            # of equals, PyTorch takes the first cut, but of three matrices the last
            cost[i, j], cut[i, j] = min(options, key=lambda o: (o[0], -o[1] if count == 3 else o[1]))

    def multiplied(i, j):
        if i == j:
            return matrices[i]
        k = cut[i, j]
        return linalg.mm(multiplied(i, k), multiplied(k + 1, j))

    return multiplied(0, count - 1)


def chain_matmul(*matrices):
    """`multi_dot` of the arguments."""
    listed = len(matrices) == 1 and isinstance(matrices[0], (tuple, list))
    return multi_dot(matrices[0] if listed else matrices)


def matrix_power(self, n):
    """A square matrix (or a batch of them) times itself, n factors; the inverse for negative n."""
    sizes = self._array.shape
    if len(sizes) < 2:
        raise RuntimeError("linalg.matrix_power: The input tensor A must have at least 2 dimensions.")
    if sizes[-1] != sizes[-2]:
        raise RuntimeError("linalg.matrix_power: A must be batches of square matrices, but they are "
                           f"{sizes[-2]} by {sizes[-1]} matrices")
    if n == 0:
        return self * 0 + wrap(np.eye(sizes[-1], dtype=self._array.dtype))
    if n < 0:
        self, n = matrices.inv(self), -n
    if n == 1:
        return elementwise.clone(self)
    if n == 3:
        return linalg.matmul(linalg.matmul(self, self), self)
    power, result = None, None
    while n:
        power = self if power is None else linalg.matmul(power, power)
        if n & 1:
            result = power if result is None else linalg.matmul(result, power)
        n >>= 1
    return result


# --- diagonals, cross products ------------------------------------------------------------------------------

def _trace_gradient(grad, self_shape):
    rows, columns = self_shape
    flat, diagonal = zeros_beside(grad, (rows * columns,)), np.arange(min(rows, columns)) * (columns + 1)
    return shape._view(positions._index_fill_tensor(flat, 0, beside(grad, diagonal), grad), self_shape)


@differentiable("TraceBackward0", self=_trace_gradient)
def _trace(self):
    if self.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {self.ndim}")
    not_bool(self, "trace")
    return self.trace(dtype=None if self.dtype.kind == "f" else np.int64)


def trace(self):
    """The sum of the diagonal of a matrix."""
    return _trace(self)


@differentiable("LinalgCrossBackward0",
                self=lambda grad, other, dim: _linalg_cross(other, grad, dim),
                other=lambda grad, self, dim: _linalg_cross(grad, self, dim))
def _linalg_cross(self, other, dim):
    self, other = np.broadcast_arrays(self, other)
    second, third = [1, 2, 0], [2, 0, 1]
    return (self.take(second, dim) * other.take(third, dim)
            - self.take(third, dim) * other.take(second, dim))


CROSS_WITHOUT_DIM = (
    "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly "
    "or simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of "
    "linalg.cross in a future release.")


def cross(self, other, dim=None):
    """The cross product of vectors of 3 numbers along `dim`; by default the first dimension of size 3."""
    if dim is None:
        warn_once(CROSS_WITHOUT_DIM)
        places = [i for i, n in enumerate(self._array.shape) if n == 3]
        if not places:
            raise RuntimeError("no dimension of size 3 in input")
        dim = places[0]
    return linalg_cross(self, other, dim=dim)


def linalg_cross(input, other, *, dim=-1):
    """The cross product of vectors of 3 numbers along `dim`: torch.linalg.cross."""
    a, b = input._array.shape, other._array.shape
    if len(a) != len(b):
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    one_dim(dim, len(a))
    if a[dim] != 3 or b[dim] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {a[dim]} and "
                           f"{b[dim]}")
    return _linalg_cross(input, other, dim)


METHODS = "outer ger inner kron matrix_power trace cross"
FUNCTIONS_ONLY = "tensordot chain_matmul"

from . import elementwise, matrices, positions  # noqa: E402
