"""Random tensors, and tensors filled with random numbers in place.

What a tensor held before doesn't influence what is drawn, so the gradient of these operations is zero.
"""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..autograd.inplace import in_place
from ..creation import empty_array_like, finish, plain_number, size_of
from ..errors import common_shape, type_name
from ..tensor import Tensor, wrap
from . import sampling
from .generator import Generator, default_generator


def drawn_from(generator):
    """Return the generator that a ``generator`` argument means."""
    if generator is None:
        return default_generator
    if not isinstance(generator, Generator):
        raise TypeError(f"expected a torch.Generator, but got {type_name(generator)}")
    return generator


# --- new tensors --------------------------------------------------------------------------------

def rand(*args, size=None, generator=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Return numbers spread evenly over [0, 1): ``rand(2, 3)``."""
    kind = dtypes.numpy_of(dtype, dtypes.Default.numpy)
    array = sampling.uniform(size_of(args, size, "rand"), kind, generator=drawn_from(generator))
    return finish(array, requires_grad, device)


def randn(*args, size=None, generator=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Return normal numbers with mean 0 and standard deviation 1: ``randn(2, 3)``."""
    kind = dtypes.numpy_of(dtype, dtypes.Default.numpy)
    array = sampling.normal(size_of(args, size, "randn"), kind, generator=drawn_from(generator))
    return finish(array, requires_grad, device)


def rand_like(input, *, generator=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Return `rand` of this tensor's shape and dtype."""
    array = empty_array_like(input, dtype)
    array[...] = sampling.uniform(array.shape, array.dtype, generator=drawn_from(generator))
    return finish(array, requires_grad, device)


def randn_like(input, *, generator=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Return `randn` of this tensor's shape and dtype."""
    array = empty_array_like(input, dtype)
    array[...] = sampling.normal(array.shape, array.dtype, generator=drawn_from(generator))
    return finish(array, requires_grad, device)


def randint(low, high=None, size=None, *, generator=None, dtype=None, device=None,
            requires_grad=False) -> Tensor:
    """Return whole numbers from low to high - 1: ``randint(high, size)``, ``randint(low, high, size)``."""
    if size is None:
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    if not isinstance(size, (tuple, list)):
        raise TypeError("randint(): argument 'size' (position 2) must be tuple of ints, not "
                        f"{type_name(size)}")
    array = sampling.randint(plain_number(low), plain_number(high), size_of((size,)),
                             dtypes.numpy_of(dtype, dtypes.INT64), drawn_from(generator))
    return finish(array, requires_grad, device)


def randperm(n, *, generator=None, dtype=None, device=None, requires_grad=False) -> Tensor:
    """Return the numbers 0 to n - 1 in random order."""
    array = sampling.randperm(n, dtypes.numpy_of(dtype, dtypes.INT64), drawn_from(generator))
    return finish(array, requires_grad, device)


# --- operations on tensors ----------------------------------------------------------------------

def zeros_for(grad):
    return wrap(np.zeros_like(grad._array)) if isinstance(grad, Tensor) else np.zeros_like(grad)


@differentiable("BernoulliBackward0", self=zeros_for)
def _bernoulli(self, generator):
    return sampling.bernoulli(self.shape, self, self.dtype, generator)


def bernoulli(input, *, generator=None) -> Tensor:
    """Return 1 with the probability that `input` holds at each place, otherwise 0."""
    return _bernoulli(input, drawn_from(generator))


@differentiable("NormalBackward1", mean=zeros_for)
def _normal_of_mean(mean, std, generator):
    return sampling.normal(mean.shape, mean.dtype, 0.0, std, generator) + mean


@differentiable("NormalBackward2", std=zeros_for)
def _normal_of_std(mean, std, generator):
    return sampling.normal(std.shape, std.dtype, 0.0, 1.0, generator) * std + std.dtype.type(mean)


@differentiable("NormalBackward3", mean=zeros_for, std=zeros_for)
def _normal_of_both(mean, std, generator):
    shape = common_shape(mean.shape, std.shape)
    return sampling.normal(shape, mean.dtype, 0.0, 1.0, generator) * std + mean


def normal(mean, std=1.0, size=None, *, generator=None, dtype=None, device=None,
           requires_grad=False) -> Tensor:
    """Return normal numbers: ``normal(0.0, 1.0, (2, 3))``.

    mean, std: numbers, or tensors whose common shape is that of the result; then `size` is left out.
    """
    generator = drawn_from(generator)
    if isinstance(std, Tensor) and std._array.size and std._array.min() < 0:
        raise RuntimeError("normal expects all elements of std >= 0.0")
    if isinstance(mean, Tensor):
        return (_normal_of_both if isinstance(std, Tensor) else _normal_of_mean)(mean, std, generator)
    if isinstance(std, Tensor):
        return _normal_of_std(mean, std, generator)
    kind = dtypes.numpy_of(dtype, dtypes.Default.numpy)
    array = sampling.normal(size_of((size,)), kind, mean, std, generator)
    return finish(array, requires_grad, device)


# --- in place -----------------------------------------------------------------------------------

@in_place
@differentiable("UniformBackward0", self=zeros_for)
def _uniform(self, low, high, generator):
    return sampling.uniform(self.shape, self.dtype, low, high, generator)


def uniform_(self, from_=0.0, to=1.0, *, generator=None):
    """Fill with numbers spread evenly over [from, to)."""
    return _uniform(self, float(from_), float(to), drawn_from(generator))


@in_place
@differentiable("NormalBackward0", self=zeros_for)
def _normal(self, mean, std, generator):
    return sampling.normal(self.shape, self.dtype, mean, std, generator)


def normal_(self, mean=0.0, std=1.0, *, generator=None):
    """Fill with normal numbers of this mean and standard deviation."""
    return _normal(self, float(mean), float(std), drawn_from(generator))


@in_place
@differentiable("BernoulliBackward2", self=zeros_for)
def _bernoulli_of_number(self, p, generator):
    return sampling.bernoulli(self.shape, p, self.dtype, generator)


def bernoulli_(self, p=0.5, *, generator=None):
    """Fill with 1 with probability p, a number, and otherwise with 0."""
    return _bernoulli_of_number(self, float(p), drawn_from(generator))


METHODS = "bernoulli"
METHODS_ONLY = "uniform_ normal_ bernoulli_"
FUNCTIONS_ONLY = "rand randn rand_like randn_like randint randperm normal"
