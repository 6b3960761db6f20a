"""Distances between rows (cdist), rows cut down to a length (renorm), and a few other rare operations."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..autograd.inplace import in_place
from ..memory import by_rows
from ..messages import dim_range
from ..tensor import Tensor
from . import comparison, elementwise, reduction, shape, slicing
from .layout import sizes_of
from .norms import length, norm_gradient, refuse_whole, vector_norm

# --- cdist --------------------------------------------------------------------------------------------------

@differentiable("CdistBackward0",
                x1=lambda grad, x1, x2, p, result: pulled(
                    grad, shape._unsqueeze(x1, -2) - shape._unsqueeze(x2, -3), p, result, -2),
                x2=lambda grad, x1, x2, p, result: pulled(
                    grad, shape._unsqueeze(x2, -3) - shape._unsqueeze(x1, -2), p, result, -3))
def _cdist(x1, x2, p):
    return length(x1[..., :, None, :] - x2[..., None, :, :], p, (-1,), False)


def pulled(grad, apart, p, result, other):
    """What a change of rows does to all distances, added up over the rows of the other tensor."""
    return reduction._sum_dim(stretched(grad, apart, p, result), (other,), False)


def stretched(grad, apart, p, result):
    """The gradient of the differences from that of their norms; of several largest each gets all of it."""
    if p == np.inf:
        grad, result = shape._unsqueeze(grad, -1), shape._unsqueeze(result, -1)
        return grad * elementwise.sgn(apart) * (elementwise.abs(apart) == result)
    found = norm_gradient(grad, apart, p, result, (-1,), False)
    return apart * 0 if found is None else found


COMPUTE_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist",
                 "donot_use_mm_for_euclid_dist")


def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """The p-norm distance of every row of x1 (.., n, d) from every row of x2 (.., m, d): (.., n, m).

    compute_mode: one of `COMPUTE_MODES`; here all are computed in the same way.
    """
    if compute_mode not in COMPUTE_MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    for name, x in (("X1", x1), ("X2", x2)):
        if x._array.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x._array.ndim}D")
    if x1._array.shape[-1] != x2._array.shape[-1]:
        raise RuntimeError("X1 and X2 must have the same number of columns. X1: "
                           f"{x1._array.shape[-1]} X2: {x2._array.shape[-1]}")
    for name, x in (("X1", x1), ("X2", x2)):
        if x._array.dtype.kind != "f":
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: "
                               f"{dtypes.short_name(x._array.dtype)}")
    if x1._array.dtype != x2._array.dtype:
        raise RuntimeError(f"expected scalar type {dtypes.short_name(x1._array.dtype)} but found "
                           f"{dtypes.short_name(x2._array.dtype)}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    return _cdist(x1, x2, float(p))


# --- pdist --------------------------------------------------------------------------------------------------

def never_twice(grad):
    raise NotImplementedError("the derivative for '_pdist_backward' is not implemented.")


@differentiable("PdistBackward0", self=lambda grad, self, p, result: _pdist_backward(grad, self, p, result))
def _pdist(self, p):
    first, second = np.triu_indices(len(self), 1)
    return length(self[first] - self[second], p, (-1,), False)


@differentiable("PdistBackwardBackward0", grad=never_twice, self=never_twice, pdist=never_twice)
def _pdist_backward(grad, self, p, pdist):
    """Each distance pulls at its two rows, in opposite directions."""
    first, second = np.triu_indices(len(self), 1)
    found = stretched(grad, self[first] - self[second], p, pdist)
    total = np.zeros_like(self)
    np.add.at(total, first, found)
    np.subtract.at(total, second, found)
    return total


def pdist(input, p=2.0):
    """The p-norm distance of each two of the rows of `input` (n, d): n * (n - 1) / 2 numbers."""
    array = input._array
    if array.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {array.ndim}D")
    if array.dtype.kind != "f":
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    return _pdist(input, float(p))


# --- renorm -------------------------------------------------------------------------------------------------

@differentiable("RenormBackward0", self=lambda grad, self, p, dim, maxnorm: (
    shortened(grad, self, p, dim, maxnorm)))
def _renorm(self, p, dim, maxnorm):
    others = tuple([d for d in range(self.ndim) if d != dim % self.ndim])
    size = length(self, p, others, True)
    return by_rows(self * np.where(size > maxnorm, maxnorm / (size + 1e-7), 1).astype(self.dtype))


def shortened(grad, self, p, dim, maxnorm):
    """Of what was cut to a length, the part of the gradient along it is lost."""
    ndim = len(self.shape)
    others = tuple([d for d in range(ndim) if d != dim % ndim])
    size = (vector_norm(self, p, others, True) if isinstance(self, Tensor) else length(self, p, others, True))
    along = reduction._sum_dim(self * grad, others, True)
    turned = norm_gradient(along, self, p, size, others, True)
    inverse = 1 / (size + 1e-7)
    lost = grad - inverse * turned if turned is not None else grad
    return comparison._where(size > maxnorm, maxnorm * inverse * lost, grad)


_write_renorm = in_place(_renorm)


def renorm(self, p, dim, maxnorm):
    """Each slice along `dim` whose p-norm is larger than `maxnorm`, brought down to it."""
    return _renorm(self, *renorm_arguments(self, p, dim, maxnorm))


def renorm_(self, p, dim, maxnorm):
    """`renorm`, written over the tensor."""
    return _write_renorm(self, *renorm_arguments(self, p, dim, maxnorm))


def renorm_arguments(self, p, dim, maxnorm):
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if self._array.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {self._array.ndim} dimensions")
    dim_range(dim, self._array.ndim)
    refuse_whole(self._array)
    return float(p), dim, float(maxnorm)


# --- others -------------------------------------------------------------------------------------------------

def sum_to_size(self, *size):
    """The sum that leaves this size: what undoes broadcasting from it."""
    sizes, shape_now = sizes_of(size), tuple(self._array.shape)
    added = len(shape_now) - len(sizes)
    if added < 0 or any([s not in (1, n) for s, n in zip(sizes, shape_now[added:])]):
        raise RuntimeError(f"size {{{list(sizes)}}} is not expandable to size {{{list(shape_now)}}}.")
    reduced = [d for d, n in enumerate(shape_now) if d < added or sizes[d - added] == 1 != n]
    if reduced:
        self = reduction._sum_dim(self, tuple(reduced), True)
    elif not sizes:
        return reduction.sum(self)
    return shape.view(self, *sizes) if added else self


@differentiable("NarrowCopyBackward0", self=lambda grad, self_shape, dim, start, length: (
    slicing.slice_backward(grad, self_shape, dim, start, start + length, 1)))
def _narrow_copy(self, dim, start, length):
    return np.take(self, range(start, start + length), dim)


def narrow_copy(self, dim, start, length):
    """`narrow`, copied."""
    if dim >= self._array.ndim > 0:
        raise RuntimeError("Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false."
                           "  (Could this error message be improved?  If so, please report an enhancement "
                           "request to PyTorch.)")
    if length < 0 < self._array.ndim:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size "
                           f"({self._array.shape[dim]}).")
    shown = slicing.narrow(self.detach(), dim, start, length)       # refuses what there is not
    return _narrow_copy(self, dim, start % max(self._array.shape[dim], 1), shown._array.shape[dim])


def apply_(self, callable):
    """Replace each number by what a Python function makes of it; slow, and never recorded."""
    return by_function(self, "apply_", callable, ())


def map_(self, tensor, callable):
    """Replace each number by what a Python function makes of it and of its counterpart in `tensor`."""
    return by_function(self, "map_", callable, (tensor,))


def by_function(self, name, function, others):
    if self.requires_grad or any([other.requires_grad for other in others]):
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() "
                           "instead.")
    arrays = np.broadcast_arrays(self._array, *[other._array for other in others])
    found = [function(*[item.item() for item in items]) for items in zip(*[a.flat for a in arrays])]
    self._array.flat = found
    return self


METHODS = "renorm narrow_copy"
METHODS_ONLY = "renorm_ sum_to_size apply_ map_"
FUNCTIONS_ONLY = "cdist pdist"
