"""Running results along a dimension: cumsum, cumprod, cummax, cummin, logcumsumexp; diff, their inverse."""
from __future__ import annotations

import numpy as np

from .. import dtypes, return_types
from ..autograd.differentiable import differentiable
from ..autograd.grad_mode import local
from ..autograd.inplace import check_in_place, in_place
from ..memory import by_rows
from ..tensor import Tensor, bump_version
from .dims import numpy_of, one_dim
from .either import dtype_of, ones_beside, shape_of, size_of
from .operands import float_only, not_bool
from .reduction import count_zeros

WIDE = {np.dtype("float16"): np.dtype("float32"), np.dtype("float32"): np.dtype("float64")}


def running(ufunc, self, dim, dtype):
    """Accumulate in the wider type that PyTorch uses, then round; integers become int64."""
    if dtype is not None:
        self = self.astype(dtype, copy=False)
    if self.dtype.kind != "f":
        return by_rows(ufunc.accumulate(self, axis=dim, dtype=dtypes.INT64) if self.ndim else
                       self.astype(dtypes.INT64))
    if not self.ndim:
        return self.copy()
    total = ufunc.accumulate(self, axis=dim, dtype=WIDE.get(self.dtype))
    return by_rows(total.astype(self.dtype, copy=False))


# --- sums and products --------------------------------------------------------------------------------------

def reversed_cumsum(x, dim):
    return rearrange._flip(_cumsum(rearrange._flip(x, (dim,)), dim), (dim,))


def _cumsum_gradient(grad, dim):
    sizes = shape_of(grad)
    return grad if not sizes or size_of(grad) <= 1 or sizes[dim] == 1 else reversed_cumsum(grad, dim)


@differentiable("CumsumBackward0", self=_cumsum_gradient)
def _cumsum(self, dim, dtype=None):
    return running(np.add, self, dim, dtype)


def _cumprod_gradient(grad, self, dim, result):
    sizes = shape_of(self)
    if not sizes or size_of(self) <= 1 or sizes[dim] == 1:
        return grad
    if not count_zeros(self):
        return reversed_cumsum(result * grad, dim) / self
    # With zeros nothing can be divided out.  Element k enters every running product from the k-th on: with
    # the factors before it, and with those between it and the end of the product.
    dim %= len(sizes)
    one = ones_beside(self, [1 if i == dim else n for i, n in enumerate(sizes)])
    result = choosing.zeros(sizes, grad) if isinstance(grad, Tensor) else np.zeros(sizes, grad.dtype)
    last = sizes[dim] - 1
    for k in range(sizes[dim]):
        before = _prod_dim(slicing._slice(self, dim, 0, k, 1), dim, True, None) if k else one
        others = before
        if k < last:
            between = _cumprod(slicing._slice(self, dim, k + 1, sizes[dim], 1), dim, None)
            if k:
                between = shape._expand(before, shape_of(between)) * between
            others = joining._cat([before, between], dim)
        part = _sum_dim(slicing._slice(grad, dim, k, sizes[dim], 1) * others, (dim,), False)
        place = slicing._select(result, dim, k)
        if isinstance(place, Tensor):
            place.copy_(part)
        else:
            result[(slice(None),) * dim + (k,)] = part      # (an array of one dimension has numbers in it)
    return result


@differentiable("CumprodBackward0", self=_cumprod_gradient)
def _cumprod(self, dim, dtype):
    return running(np.multiply, self, dim, dtype)


def cumsum(self, dim, *, dtype=None):
    """Running sums along `dim`; integers and bools add up to int64."""
    return _cumsum(self, along(self, dim), None if dtype is None else numpy_of(dtype))


def cumprod(self, dim, *, dtype=None):
    """Running products along `dim`."""
    return _cumprod(self, along(self, dim), None if dtype is None else numpy_of(dtype))


def along(self, dim):
    """The dimension as given, once it is known to exist."""
    if isinstance(self, Tensor):
        one_dim(dim, self._array.ndim)
    return dim


_cumsum.operation.needs_float = _cumprod.operation.needs_float = True
_cumsum_in_place, _cumprod_in_place = in_place(_cumsum), in_place(_cumprod)


def cumsum_(self, dim, *, dtype=None):
    """`cumsum` written over the tensor; `dtype` can only be the tensor's own."""
    return written_over(self, dim, dtype, _cumsum_in_place, "cumsum_out_cpu")


def cumprod_(self, dim, *, dtype=None):
    """`cumprod` written over the tensor; `dtype` can only be the tensor's own."""
    return written_over(self, dim, dtype, _cumprod_in_place, "cumprod_out_cpu")


def written_over(self, dim, dtype, write, kernel):
    own = self._array.dtype
    if dtype is not None and numpy_of(dtype) != own:
        along(self, dim)
        check_in_place(self, local.state.recording and self.requires_grad)
        raise RuntimeError(f"Bad in-place call: input tensor dtype {dtypes.cpp_name(own)} and output tensor "
                           f"dtype {dtypes.cpp_name(numpy_of(dtype))} should match")
    if own.kind == "b" and (not self._array.ndim or not self._array.size):
        bump_version(self)          # nothing to add up, which PyTorch sees before the dtype
        return self
    not_bool(self._array, kernel)
    return write(self, along(self, dim), None)


# --- the largest and smallest so far ------------------------------------------------------------------------

def running_choice(ufunc, self, dim):
    """The running maximum or minimum and where it stands: the last place where it was reached."""
    if not self.ndim:
        return self.copy(), np.zeros((), dtypes.INT64)
    self = by_rows(self)
    values = ufunc.accumulate(self, axis=dim)
    along_dim = [-1 if i == dim % self.ndim else 1 for i in range(self.ndim)]
    counted = np.arange(self.shape[dim]).reshape(along_dim)
    reached = (self == values) | (self != self)
    return values, np.maximum.accumulate(np.where(reached, counted, 0), axis=dim)


def _choice_gradient(grad, self, indices, dim):
    return choosing.scattered_sum(grad, dim, indices, shape_of(self))


@differentiable("CummaxBackward0", outputs=("values", "indices"), self=_choice_gradient)
def _cummax(self, dim):
    return running_choice(np.maximum, self, dim)


@differentiable("CumminBackward0", outputs=("values", "indices"), self=_choice_gradient)
def _cummin(self, dim):
    return running_choice(np.minimum, self, dim)


def cummax(self, dim):
    """(values, indices) of the largest element so far along `dim`; of equal ones the last counts."""
    return return_types.cummax(_cummax(self, choice_dim(self, dim, "cummax")))


def cummin(self, dim):
    """(values, indices) of the smallest element so far along `dim`; of equal ones the last counts."""
    return return_types.cummin(_cummin(self, choice_dim(self, dim, "cummin")))


def choice_dim(self, dim, name):
    if not self._array.ndim and not -1 <= dim <= 0:
        raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
    return along(self, dim)


# --- logarithms of running sums -----------------------------------------------------------------------------

def _logcumsumexp_gradient(grad, self, result, dim):
    if not shape_of(grad) or not size_of(grad):
        return grad
    lowest = float(np.finfo(dtype_of(grad)).min)
    size = log(abs(grad))       # positive and negative gradients apart, for each is a sum of exponentials
    positive = comparison.where(grad > 0, size, lowest)
    negative = comparison.where(grad < 0, size, lowest)
    return (exp(reversed_logcumsumexp(positive - result, dim) + self)
            - exp(reversed_logcumsumexp(negative - result, dim) + self))


def reversed_logcumsumexp(x, dim):
    return rearrange._flip(_logcumsumexp(rearrange._flip(x, (dim,)), dim), (dim,))


@differentiable("LogcumsumexpBackward0", self=_logcumsumexp_gradient)
def _logcumsumexp(self, dim):
    float_only(self, "logcumsumexp_out_cpu")
    if not self.ndim:
        return self.copy()
    self = by_rows(self)
    return np.logaddexp.accumulate(self.astype(WIDE.get(self.dtype, self.dtype)), axis=dim).astype(self.dtype)


def logcumsumexp(self, dim):
    """Logarithms of the running sums of exp(x), without overflow."""
    return _logcumsumexp(self, along(self, dim))


# --- differences and areas ----------------------------------------------------------------------------------

def diff(self, n=1, dim=-1, prepend=None, append=None):
    """Differences of neighbours along `dim`, taken `n` times."""
    if not self._array.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    one_dim(dim, self._array.ndim)
    if n == 0:
        return zeros_like(self).copy_(self)     # as PyTorch does: the node is that of a copy
    pieces = [piece for piece in (prepend, self, append) if piece is not None]
    if len(pieces) > 1:
        self = joining.cat(pieces, dim)
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    for _ in range(min(n, self._array.shape[dim])):
        count = self._array.shape[dim] - 1
        earlier, later = slicing.narrow(self, dim, 0, count), slicing.narrow(self, dim, 1, count)
        self = later - earlier if self._array.dtype.kind != "b" else later != earlier
    return self


def trapezoid(y, x=None, *, dx=1, dim=-1):
    """The area under points joined by straight lines, `dx` apart or at the places `x`."""
    if not y._array.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if y._array.dtype.kind == "b":
        inputs = "`y`" if x is None else "`x` or `y`"
        raise RuntimeError(f"trapezoid: received a bool input for {inputs}, but bool is not supported")
    count = y._array.shape[one_dim(dim, y._array.ndim)] - 1
    if count < 0:
        return _sum_dim(y.detach(), (dim,), False).zero_()      # made by nothing
    later, earlier = slicing.narrow(y, dim, 1, count), slicing.narrow(y, dim, 0, count)
    if x is not None:
        steps = diff(x, 1, -1 if x._array.ndim == 1 else dim)
        if x._array.ndim == 1 != y._array.ndim:
            ndim = y._array.ndim
            steps = shape._reshape(steps, tuple([-1 if i == dim % ndim else 1 for i in range(ndim)]))
        return _div_number(_sum_dim((later + earlier) * steps, (dim,), False), 2.0)
    both_ends = slicing.select(y, dim, 0) + slicing.select(y, dim, -1)
    return _mul_number(_sum_dim(y, (dim,), False) - _mul_number(both_ends, 0.5), float(dx))


def trapz(y, x=None, *, dx=1, dim=-1):
    """An old name of `trapezoid`."""
    return trapezoid(y, x, dx=dx, dim=dim)


def vander(x, N=None, increasing=False):
    """The powers of each of the numbers `x`, from the highest on: (n, N)."""
    if x._array.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x._array.size if N is None else N
    if count < 0:
        raise RuntimeError(f"N must be non-negative but got {count}")
    result = x.new_empty((x._array.size, count), dtype=x.dtype if x.is_floating_point() else dtypes.int64)
    if count > 0:
        slicing.select(result, 1, 0).fill_(1)
    if count > 1:
        rest = slicing._slice(result, 1, 1, count, 1)
        rest.copy_(shape.unsqueeze(x, -1))
        slicing._slice(result, 1, 1, count, 1).copy_(cumprod(slicing._slice(result, 1, 1, count, 1), 1))
    return result if increasing else rearrange.flip(result, 1)


METHODS = "cumsum cumprod cummax cummin logcumsumexp diff"
METHODS_ONLY = "cumsum_ cumprod_"
FUNCTIONS_ONLY = "trapezoid trapz vander"

from . import choosing, comparison, joining, rearrange, shape, slicing  # noqa: E402
from .arithmetic import _div_number, _mul_number  # noqa: E402
from .elementwise import exp, log, zeros_like  # noqa: E402
from .reduction import _prod_dim, _sum_dim  # noqa: E402
