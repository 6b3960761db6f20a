"""The same numbers in another shape: view, reshape, flatten, squeeze, transpose and their like.

Nothing is computed.  A view only says how far to step through the memory along each dimension;
`reshape` and `contiguous` copy the numbers where no such steps exist.
"""
import math
from operator import index

from numpy import may_share_memory

from ..autograd.operation import differentiable
from ..autograd.views import shares_memory
from ..errors import dim_range, warn_once
from ..tensor import Tensor, readonly


def sizes_of(given, named=None):
    """Return the numbers that ``f(2, 3)``, ``f((2, 3))`` and ``f(size=(2, 3))`` all mean."""
    given = tuple(named.values()) if named else given
    if len(given) == 1 and isinstance(given[0], (tuple, list)):
        given = given[0]
    return tuple(map(index, given))


def distinct_dims(dims, ndim):
    """Return the dimensions counted from the front; RuntimeError if one is named twice."""
    places = [dim_range(d, ndim) for d in dims]
    for i, place in enumerate(places):
        if place in places[:i]:
            raise RuntimeError(f"dim {place} appears multiple times in the list of dims")
    return places


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
    """Return `array` in this shape, in which one size may be -1, or raise a RuntimeError."""
    try:
        result = array.reshape(shape)
        if result.shape == shape or min(shape) >= -1:
            return result
    except ValueError:
        pass
    for i, n in enumerate(shape):
        if n == -1 and -1 in shape[:i]:
            raise RuntimeError("only one dimension can be inferred")
        if n < -1:
            raise RuntimeError(f"invalid shape dimension {n} at index {i} of shape {list(shape)}")
    if not array.size and -1 in shape and 0 in shape:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
            "dimension size -1 can be any value and is ambiguous")
    raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {array.size}")


def view(self, *size, **named):
    """Return the same numbers in the same memory, in another shape; one size may be -1.

        torch.arange(6).view(2, -1)     # tensor([[0, 1, 2], [3, 4, 5]])

    Raises a RuntimeError where no steps through the memory give this shape; `reshape` copies.
    """
    return _view(self, sizes_of(size, named))


def view_as(self, other):
    """Return ``self.view(other.shape)``."""
    return _view(self, other._array.shape)


def reshape(self, *shape, **named):
    """Return the same numbers in another shape: a view where `view` can make one, else a copy."""
    return _reshape(self, sizes_of(shape, named))


def flatten(self, start_dim=0, end_dim=-1):
    """Run the dimensions from `start_dim` to `end_dim` into one: a view if possible."""
    shape = self._array.shape
    start, end = dim_range(start_dim, len(shape)), dim_range(end_dim, len(shape))
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if shape and start == end:
        return self
    return _reshape(self, (*shape[:start], math.prod(shape[start:end + 1]), *shape[end + 1:]))


@differentiable("CloneBackward0", self=lambda grad: grad)
def _clone_contiguous(self):
    return self.copy("C")


def contiguous(self):
    """Return the tensor itself if its numbers are in order and without gaps, else a copy."""
    return self if self._array.flags.c_contiguous else _clone_contiguous(self)


@shares_memory
@differentiable("AliasBackward0", self=lambda grad: grad)
def alias(self):
    """Return a view of all of the tensor."""
    return self[...]


@shares_memory
@differentiable("UnsqueezeBackward0", self=lambda grad, dim: _squeeze_dim(grad, dim))
def _unsqueeze(self, dim):
    place = dim_range(dim, self.ndim + 1)
    return self.reshape((*self.shape[:place], 1, *self.shape[place:]))


def unsqueeze_to(grad, dim, self_shape):
    """Put back what `squeeze` removed: the dimensions of size 1 among `dim`, one or several."""
    dims = dim if isinstance(dim, (tuple, list)) else (dim,)
    dims = [d for d in dims if self_shape and self_shape[d] == 1]
    return unsqueeze_multiple(grad, dims, len(self_shape))


def unsqueeze_multiple(x, dims, ndim):
    """Insert dimensions of size 1 that become the dimensions `dims`, of `ndim` in all."""
    for place in sorted([d % ndim for d in dims]) if ndim else ():
        x = _unsqueeze(x, place)
    return x


@shares_memory
@differentiable("SqueezeBackward0", self=lambda grad, self_shape: unsqueeze_to(
    grad, (*range(len(self_shape)),), self_shape))
def _squeeze_all(self):
    return self.squeeze() if self.ndim else self[...]


@shares_memory
@differentiable("SqueezeBackward1", self=unsqueeze_to)
def _squeeze_dim(self, dim):
    return _squeeze_dims.operation.forward(self, (dim,))


@shares_memory
@differentiable("SqueezeBackward2", self=unsqueeze_to)
def _squeeze_dims(self, dim):
    places = distinct_dims(dim, self.ndim)
    return self.squeeze(tuple([d for d in places if self.ndim and self.shape[d] == 1]))


def unsqueeze(self, dim):
    """Return a view with a new dimension of size 1 at `dim`."""
    return _unsqueeze(self, dim)


def squeeze(self, *dim, **named):
    """Return a view without dimensions of size 1: all of them, or those among the given ones."""
    if not dim and not named:
        return _squeeze_all(self)
    dim = named.get("dim") if named else dim[0] if len(dim) == 1 else dim
    return (_squeeze_dims if isinstance(dim, (tuple, list)) else _squeeze_dim)(self, dim)


@shares_memory
@differentiable("TBackward0", self=lambda grad: t(grad))
def t(self):
    """Return a view of a matrix, transposed; a vector or a single number stays as it is."""
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


@shares_memory
@differentiable("TransposeBackward0", self=lambda grad, dim0, dim1: transpose(grad, dim0, dim1))
def transpose(self, dim0, dim1):
    """Return a view with two dimensions exchanged."""
    first, second = dim_range(dim0, self.ndim), dim_range(dim1, self.ndim)
    return self.swapaxes(first, second) if self.ndim else self[...]


@shares_memory
@differentiable("PermuteBackward0", self=lambda grad, dims: _permute(
    grad, tuple(sorted(range(len(dims)), key=lambda i: dims[i] % len(dims)))))
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


def permute(self, *dims, **named):
    """Return a view with the dimensions in another order."""
    return _permute(self, sizes_of(dims, named))


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


METHODS = "reshape flatten unsqueeze squeeze t transpose permute"
METHODS_ONLY = "view view_as contiguous"
OPERATORS = {"T": readonly(reversed_dims, "T")}
