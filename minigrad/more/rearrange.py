"""Copies of the numbers, repeated, in another order, or with zeros.

These are repeat, flip, tril and triu.
"""
import numpy as np

from ..autograd.operation import differentiable
from ..ops.declaring import new_zeros
from ..ops.dimensions import distinct_dims
from ..ops.expansion import _sum_dim
from ..ops.shape import _reshape, _view, sizes_of

# --- repeat ---------------------------------------------------------------------------

def repeat_backward(grad, repeats, self_shape):
    """Sum the gradient over all copies of each element."""
    if 0 in repeats:
        return new_zeros(grad, self_shape)
    lead = len(repeats) - len(self_shape)
    for _ in range(lead):
        grad = _sum_dim(grad, (0,), False, None)
    # Give each repeated dimension one of its own for the copies, and sum over those.
    sizes, copies = [], []
    for count, size in zip(repeats[lead:], self_shape):
        if count != 1:
            copies.append(len(sizes))
            sizes.append(count)
        sizes.append(size)
    if not copies:
        return grad
    return _sum_dim(_reshape(grad, tuple(sizes)), tuple(copies), False, None)


@differentiable("RepeatBackward0", self=repeat_backward)
def _repeat(self, repeats):
    return np.tile(self, repeats)


def repeat(self, *counts, repeats=None):
    """Return the tensor copied side by side, so often along each dimension.

        torch.tensor([1., 2.]).repeat(2, 2)     # [[1., 2., 1., 2.], [1., 2., 1., 2.]]
    """
    repeats = sizes_of(counts, repeats)
    if len(repeats) < self._array.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of "
            "dimensions of tensor")
    return _repeat(self, repeats)


# --- flip -----------------------------------------------------------------------------

@differentiable("FlipBackward0", self=lambda grad, dims: _flip(grad, dims))
def _flip(self, dims):
    places = distinct_dims(dims, self.ndim)
    if not self.ndim:
        return self.copy()
    return np.flip(self, places).copy("K")


def flip(self, *order, dims=None):
    """Return a copy in reverse order along some dimensions.

        torch.tensor([1, 2, 3]).flip(0)         # tensor([3, 2, 1])
    """
    return _flip(self, sizes_of(order, dims))


# --- triangles ------------------------------------------------------------------------

@differentiable("TrilBackward0", self=lambda grad, diagonal: _tril(grad, diagonal))
def _tril(self, diagonal):
    check_matrix(self, "tril")
    return np.tril(self, diagonal)


@differentiable("TriuBackward0", self=lambda grad, diagonal: _triu(grad, diagonal))
def _triu(self, diagonal):
    check_matrix(self, "triu")
    return np.triu(self, diagonal)


def check_matrix(array, name):
    if array.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


def tril(self, diagonal=0):
    """Return a copy with zeros above a diagonal: the lower triangle."""
    return _tril(self, diagonal)


def triu(self, diagonal=0):
    """Return a copy with zeros below a diagonal: the upper triangle."""
    return _triu(self, diagonal)


def ravel(self):
    """Return the numbers in one dimension: a view if they are in order, else a copy.

        torch.tensor([[1, 2], [3, 4]]).ravel()      # tensor([1, 2, 3, 4])
    """
    return _view(self.contiguous(), (-1,))


METHODS = "ravel flip tril triu"
METHODS_ONLY = "repeat"
