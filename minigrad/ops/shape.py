"""The same numbers in another shape: view, reshape, flatten, squeeze, transpose and their like.

Nothing is computed here.  A view says only how far to step through the memory along each dimension;
`reshape` copies the numbers first where no such steps exist.
"""
from __future__ import annotations

import math
from operator import index

from numpy import may_share_memory

from ..autograd.operation import differentiable
from ..autograd.views import shares_memory
from ..errors import dim_range, warn_once
from ..tensor import Tensor, readonly


def sizes_of(given, named=None, name=None):
    """Return the numbers that ``f(2, 3)``, ``f((2, 3))`` and ``f(size=(2, 3))`` all mean."""
    if named:
        given = (named.get(name),)
    if len(given) == 1 and isinstance(given[0], (tuple, list)):
        given = given[0]
    return tuple([n if type(n) is int else index(n) for n in given])


def distinct_dims(dims, ndim):
    """Return the dimensions counted from the front; RuntimeError if one is named twice."""
    places = [dim_range(d, ndim) for d in dims]
    for i, place in enumerate(places):
        if place in places[:i]:
            raise RuntimeError(f"dim {place} appears multiple times in the list of dims")
    return places


# --- another shape ------------------------------------------------------------------------------

@shares_memory
@differentiable("ViewBackward0", self=lambda grad, self_shape: _reshape(grad, self_shape))
def _view(self, size):
    result = reshaped(self, size)
    if not self.flags.c_contiguous and self.size and not may_share_memory(result, self):
        raise RuntimeError("view size is not compatible with input tensor's size and stride (at "
                           "least one dimension spans across two contiguous subspaces). Use "
                           ".reshape(...) instead.")
    return result


@shares_memory
@differentiable("ReshapeAliasBackward0", self=lambda grad, self_shape: _reshape(grad, self_shape))
def _reshape_alias(self, size):
    return self.reshape(size)


@differentiable("UnsafeViewBackward0", self=lambda grad, self_shape: _reshape(grad, self_shape))
def _unsafe_view(self, size):
    return self.reshape(size)


def _reshape(self, shape):
    if not isinstance(self, Tensor):
        return self.reshape(shape)
    array = self._array
    if array.flags.c_contiguous:
        return _view(self, shape)
    result = reshaped(array, shape)
    if not array.size or may_share_memory(result, array):
        return _reshape_alias(self, result.shape)
    return _unsafe_view(contiguous(self), result.shape)


def reshaped(array, shape):
    """Return `array` in this shape, in which one size may be -1, or raise the `shape_error`."""
    try:
        result = array.reshape(shape)
    except ValueError:
        raise shape_error(shape, array.size) from None
    if result.shape != shape and min(shape) < -1:
        raise shape_error(shape, array.size)
    return result


def shape_error(shape, count):
    """Return the error of a shape that does not hold `count` numbers."""
    for i, n in enumerate(shape):
        if n == -1 and -1 in shape[:i]:
            return RuntimeError("only one dimension can be inferred")
        if n < -1:
            return RuntimeError(f"invalid shape dimension {n} at index {i} of shape {list(shape)}")
    if not count and -1 in shape and 0 in shape:
        return RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
            "dimension size -1 can be any value and is ambiguous")
    return RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")


def view(self, *size, **named):
    """Return the same numbers in the same memory, in another shape; one size may be -1.

        torch.arange(6).view(2, -1)     # tensor([[0, 1, 2], [3, 4, 5]])

    Raises:
        RuntimeError: no steps through the memory give this shape (`reshape` copies then), or it
            holds another count of numbers.
    """
    return _view(self, sizes_of(size, named, "size"))


def view_as(self, other):
    """Return ``self.view(other.shape)``."""
    return _view(self, other._array.shape)


def reshape(self, *shape, **named):
    """Return the same numbers in another shape: a view where `view` can make one, else a copy."""
    return _reshape(self, sizes_of(shape, named, "shape"))


def flatten(self, start_dim=0, end_dim=-1):
    """Run the dimensions from `start_dim` to `end_dim` into one: a view if possible."""
    shape = self._array.shape
    start, end = dim_range(start_dim, len(shape)), dim_range(end_dim, len(shape))
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if shape and start == end:
        return self
    return _reshape(self, (*shape[:start], math.prod(shape[start:end + 1]), *shape[end + 1:]))


# --- dimensions of size 1 -----------------------------------------------------------------------

@shares_memory
@differentiable("UnsqueezeBackward0", self=lambda grad, dim: _squeeze_dim(grad, dim))
def _unsqueeze(self, dim):
    place = dim_range(dim, self.ndim + 1)
    return self.reshape((*self.shape[:place], 1, *self.shape[place:]))


@shares_memory
@differentiable("SqueezeBackward0", self=lambda grad, self_shape: unsqueeze_to(
    grad, range(len(self_shape)), self_shape))
def _squeeze_all(self):
    return self.squeeze() if self.ndim else self[...]


@shares_memory
@differentiable("SqueezeBackward1", self=lambda grad, dim, self_shape: unsqueeze_to(
    grad, (dim,), self_shape))
def _squeeze_dim(self, dim):
    place = dim_range(dim, self.ndim)
    return self.squeeze(place) if self.ndim and self.shape[place] == 1 else self[...]


@shares_memory
@differentiable("SqueezeBackward2", self=lambda grad, dim, self_shape: unsqueeze_to(
    grad, dim, self_shape))
def _squeeze_dims(self, dim):
    places = distinct_dims(dim, self.ndim)
    return self.squeeze(tuple([d for d in places if self.ndim and self.shape[d] == 1]))


def unsqueeze_to(grad, dims, shape):
    """Put back those of the dimensions `dims` that a tensor of this shape lost to `squeeze`."""
    return unsqueeze_multiple(grad, [d for d in dims if shape and shape[d] == 1], len(shape))


def unsqueeze_multiple(x, dims, ndim):
    """Insert dimensions of size 1 that become the dimensions `dims`, of `ndim` in all."""
    for place in sorted([d % ndim for d in dims]) if ndim else ():
        x = _unsqueeze(x, place)
    return x


def unsqueeze(self, dim):
    """Return a view with a new dimension of size 1 at `dim`."""
    return _unsqueeze(self, dim)


def squeeze(self, *dim, **named):
    """Return a view without dimensions of size 1: all of them, or those among the given ones."""
    if not dim and not named:
        return _squeeze_all(self)
    dim = named.get("dim") if named else dim[0] if len(dim) == 1 else dim
    return (_squeeze_dims if isinstance(dim, (tuple, list)) else _squeeze_dim)(self, dim)


# --- dimensions in another order ----------------------------------------------------------------

@shares_memory
@differentiable("TBackward0", self=lambda grad: t(grad))
def t(self):
    """Return a view of a matrix, transposed; a vector or a single number stays as it is."""
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


@shares_memory
@differentiable("TransposeBackward0", self=lambda grad, dim0, dim1: _transpose(grad, dim0, dim1))
def _transpose(self, dim0, dim1):
    first, second = dim_range(dim0, self.ndim), dim_range(dim1, self.ndim)
    return self.swapaxes(first, second) if self.ndim else self[...]


@shares_memory
@differentiable("PermuteBackward0", self=lambda grad, dims: _permute(grad, inverse(dims)))
def _permute(self, dims):
    if len(dims) != self.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {self.ndim} is not "
            f"equal to len(dims) = {len(dims)}")
    places = [dim_range(d, self.ndim) for d in dims]
    if len(set(places)) < len(places):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return self.transpose(places)


def inverse(dims):
    """Return the permutation that undoes another."""
    return tuple(sorted(range(len(dims)), key=lambda i: dims[i] % len(dims)))


def transpose(self, dim0, dim1):
    """Return a view with two dimensions exchanged."""
    return _transpose(self, dim0, dim1)


def permute(self, *dims, **named):
    """Return a view with the dimensions in another order."""
    return _permute(self, sizes_of(dims, named, "dims"))


def reversed_dims(self):
    """Return a view with all dimensions in reverse order, meant for matrices: ``x.T``."""
    ndim = self._array.ndim
    if not ndim:
        warn_once("Tensor.T is deprecated on 0-D tensors. This function is the identity in these "
                  "cases.")
    elif ndim != 2:
        warn_once("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
                  "deprecated and it will throw an error in a future release. Consider `x.mT` to "
                  "transpose batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` "
                  "to reverse the dimensions of a tensor.")
    return _permute(self, tuple(range(ndim - 1, -1, -1)))


def matrices_transposed(self):
    """Return a view with the last two dimensions exchanged: ``x.mT``."""
    if self._array.ndim < 2:
        raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got "
                           f"{self._array.ndim}-D tensor.")
    return _transpose(self, -2, -1)


# --- all of it ----------------------------------------------------------------------------------

@shares_memory
@differentiable("AliasBackward0", self=lambda grad: grad)
def alias(self):
    """Return a view of all of the tensor."""
    return self[...]


@differentiable("CloneBackward0", self=lambda grad: grad)
def _clone_contiguous(self):
    return self.copy("C")


def contiguous(self):
    """Return the tensor itself if its numbers are in order and without gaps, else a copy."""
    return self if self._array.flags.c_contiguous else _clone_contiguous(self)


METHODS = "reshape flatten unsqueeze squeeze t transpose permute"
METHODS_ONLY = "view view_as contiguous"
OPERATORS = {"T": readonly(reversed_dims, "T"), "mT": readonly(matrices_transposed, "mT")}
