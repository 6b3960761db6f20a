"""Dimensions in another order: t, transpose, permute, movedim, and the properties x.T, x.mT, x.H.

Nothing is copied: all are views.
"""
from __future__ import annotations

from functools import partial

from ..autograd.differentiable import differentiable
from ..autograd.views import shares_memory
from ..errors import counts_arguments, dim_range
from ..tensor import readonly_as
from ..errors import warn_once
from . import shape
from .layout import sizes_of
from .shape import int_argument


@shares_memory
@differentiable("TBackward0", self=lambda grad: t(grad))
def t(self):
    """The matrix transposed; with fewer than 2 dimensions, a view of the tensor as it is."""
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


@shares_memory
@differentiable("TransposeBackward0", self=lambda grad, dim0, dim1: _transpose(grad, dim0, dim1))
def _transpose(self, dim0, dim1):
    ndim = self.ndim
    first, second = dim_range(dim0, ndim), dim_range(dim1, ndim)
    return self.swapaxes(first, second) if ndim else self[...]


@shares_memory
@differentiable("PermuteBackward0", self=lambda grad, dims: _permute(grad, inverse(dims)))
def _permute(self, dims):
    if len(dims) != self.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
            f"desired ordering of dimensions i.e. input.dim() = {self.ndim} is not equal to len(dims) = "
            f"{len(dims)}")
    places = [dim_range(d, self.ndim) for d in dims]
    if len(set(places)) < len(places):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return self.transpose(places)


def inverse(dims):
    """The permutation that undoes another."""
    places = [0] * len(dims)
    for i, d in enumerate(dims):
        places[d] = i
    return tuple(places)


@counts_arguments
def transpose(self, dim0, dim1):
    """A view with two dimensions exchanged."""
    if type(dim0) is not int or type(dim1) is not int:
        dim0, dim1 = int_argument("transpose", "dim0", 1, dim0), int_argument("transpose", "dim1", 2, dim1)
    return _transpose(self, dim0, dim1)


@counts_arguments
def permute(self, *dims, **keywords):
    """A view with the dimensions in another order."""
    if not dims and "dims" not in keywords:
        raise TypeError('permute() missing 1 required positional arguments: "dims"')
    return _permute(self, sizes_of(dims, keywords.get("dims")))


# --- under other names, and in other ways -------------------------------------------------------------------

def swapaxes(self, axis0, axis1):
    """`transpose` under its NumPy name."""
    return transpose(self, axis0, axis1)


def moveaxis(self, source, destination):
    """`movedim` under its NumPy name."""
    return movedim(self, source, destination)


T_DEPRECATED = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
    "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
    "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.")
OF_NUMBER = "{} is deprecated on 0-D tensors. {}"
USE_CONJ, IS_IDENTITY = "Consider using x.conj().", "This function is the identity in these cases."


def reversed_dims(self):
    """``x.T``: all dimensions in reverse order, meant for matrices."""
    ndim = self._array.ndim
    if not ndim:
        warn_once(OF_NUMBER.format("Tensor.T", IS_IDENTITY))
    elif ndim != 2:
        warn_once(T_DEPRECATED)
    return _permute(self, tuple(range(ndim - 1, -1, -1)))


def real(self):
    """The tensor itself: numbers here are real, so these six have nothing to do."""
    return self


conj = conj_physical = resolve_conj = resolve_neg = real


METHODS = """
t transpose permute swapaxes moveaxis
"""
FUNCTIONS_ONLY = """
real conj conj_physical resolve_conj resolve_neg
"""
OPERATORS = {'T': readonly_as('T', reversed_dims)}
