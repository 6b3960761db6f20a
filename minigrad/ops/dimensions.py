"""Dimensions added, removed and exchanged, as views: unsqueeze, t and transpose.

The gradient goes back the same way: what squeezes undoes unsqueeze, and a second
transposition undoes the first.
"""
from ..autograd.operation import differentiable
from ..autograd.views import shares_memory
from ..errors import dim_range
from .declaring import numpy_names


def distinct_dims(dims, ndim):
    """Return dimensions counted from the front; RuntimeError if one is named twice."""
    found = [dim_range(dim, ndim) for dim in dims]
    for i, dim in enumerate(found):
        if dim in found[:i]:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    return found


@shares_memory
@differentiable("UnsqueezeBackward0", self=lambda grad, dim: _squeeze_dim(grad, dim))
def _unsqueeze(self, dim):
    dim = dim_range(dim, self.ndim + 1)
    return self.reshape((*self.shape[:dim], 1, *self.shape[dim:]))


@numpy_names
def unsqueeze(self, dim):
    """Return a view with a new dimension of size 1 at `dim`.

        torch.zeros(3).unsqueeze(1)             # shape (3, 1)
    """
    return _unsqueeze(self, dim)


def unsqueeze_multiple(x, dims, ndim):
    """Insert dimensions of size 1, which become the dimensions `dims` of `ndim`."""
    if not ndim:
        return x
    for dim in sorted([dim % ndim for dim in dims]):
        x = _unsqueeze(x, dim)
    return x


def keep_dims(x, dim, sizes, keepdim):
    """Return a reduction's result, or gradient, with the reduced dimensions as 1."""
    if keepdim or not dim:
        return x
    return unsqueeze_multiple(x, dim, len(sizes))


def unsqueeze_to(grad, dim, self_shape):
    """Put back what `squeeze` removed: those of size 1 among `dim`, one or several."""
    if not self_shape:
        return grad
    dims = dim if isinstance(dim, (tuple, list)) else (dim,)
    removed = [d for d in dims if self_shape[d] == 1]
    return unsqueeze_multiple(grad, removed, len(self_shape))


@shares_memory
@differentiable("SqueezeBackward1", self=unsqueeze_to)
def _squeeze_dim(self, dim):
    return without_ones(self, (dim,))


def without_ones(array, dims):
    """Return a view of an array without those of these dimensions whose size is 1."""
    dims = distinct_dims(dims, array.ndim)
    if not array.ndim:
        return array[...]
    return array.squeeze(tuple([dim for dim in dims if array.shape[dim] == 1]))


@shares_memory
@differentiable("TBackward0", self=lambda grad: t(grad))
def t(self):
    """Return a view of a matrix, transposed; a vector stays as it is."""
    if self.ndim > 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T


@shares_memory
@differentiable(
    "TransposeBackward0",
    self=lambda grad, dim0, dim1: transpose(grad, dim0, dim1))
def transpose(self, dim0, dim1):
    """Return a view with two dimensions exchanged.

        torch.zeros(2, 3, 4).transpose(0, 2)    # shape (4, 3, 2)
    """
    first = dim_range(dim0, self.ndim)
    second = dim_range(dim1, self.ndim)
    if not self.ndim:
        return self[...]
    return self.swapaxes(first, second)


METHODS = "unsqueeze t transpose"
