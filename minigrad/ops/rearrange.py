"""Copies of the numbers, repeated, in another order, or with zeros: repeat, flip, tril, triu."""
import numpy as np

from ..autograd.operation import differentiable
from .expansion import _sum_dim
from .formulas import new_zeros
from .shape import _reshape, distinct_dims, sizes_of


def repeat_backward(grad, repeats, self_shape):
    """Sum the gradient over all copies of each element."""
    if 0 in repeats:
        return new_zeros(grad, self_shape)
    lead = len(repeats) - len(self_shape)
    for _ in range(lead):
        grad = _sum_dim(grad, (0,), False)
    sizes, dims = [], []
    for n, size in zip(repeats[lead:], self_shape):
        if n != 1:
            dims.append(len(sizes))
            sizes.append(n)
        sizes.append(size)
    return _sum_dim(_reshape(grad, tuple(sizes)), tuple(dims), False) if dims else grad


@differentiable("RepeatBackward0", self=lambda grad, repeats, self_shape: repeat_backward(
    grad, repeats, self_shape))
def _repeat(self, repeats):
    return np.tile(self, repeats)


def repeat(self, *repeats, **named):
    """Return the tensor copied side by side, so often along each dimension.

        torch.tensor([1., 2.]).repeat(2, 2)     # tensor([[1., 2., 1., 2.], [1., 2., 1., 2.]])
    """
    repeats = sizes_of(repeats, named)
    if len(repeats) < self._array.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of "
                           "dimensions of tensor")
    return _repeat(self, repeats)


@differentiable("FlipBackward0", self=lambda grad, dims: _flip(grad, dims))
def _flip(self, dims):
    places = distinct_dims(dims, self.ndim)
    return np.flip(self, places).copy("K") if self.ndim else self.copy()


def flip(self, *dims, **named):
    """Return a copy in reverse order along some dimensions."""
    return _flip(self, sizes_of(dims, named))


@differentiable("TrilBackward0", self=lambda grad, diagonal: _tril(grad, diagonal))
def _tril(self, diagonal):
    if self.ndim < 2:
        raise RuntimeError("tril: input tensor must have at least 2 dimensions")
    return np.tril(self, diagonal)


@differentiable("TriuBackward0", self=lambda grad, diagonal: _triu(grad, diagonal))
def _triu(self, diagonal):
    if self.ndim < 2:
        raise RuntimeError("triu: input tensor must have at least 2 dimensions")
    return np.triu(self, diagonal)


def tril(self, diagonal=0):
    """Return a copy with zeros above a diagonal."""
    return _tril(self, diagonal)


def triu(self, diagonal=0):
    """Return a copy with zeros below a diagonal."""
    return _triu(self, diagonal)


METHODS = "flip tril triu"
METHODS_ONLY = "repeat"
