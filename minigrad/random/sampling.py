"""Random tensors: new ones, and tensors filled with random numbers.

What a tensor held before has no influence on what it is filled with, so the gradient of
filling it is zero.
"""
import math

import numpy as np

from .. import dtypes
from ..autograd.inplace import in_place
from ..autograd.operation import differentiable
from ..creation import float_dtype, new_leaf, plain_number, shape_from
from ..ops.formulas import zero_gradient
from ..tensor import Tensor
from .generator import default_generator
from .recipes import bernoulli_numbers, normal_numbers, uniform_numbers


def rand(*sizes, size=(), generator=None, dtype=None, device=None,
         requires_grad=False) -> Tensor:
    """Return numbers spread evenly over [0, 1): ``rand(2, 3)``."""
    space = np.empty(shape_from(sizes or size), float_dtype(dtype))
    numbers = uniform_numbers(space, 0.0, 1.0, generator)
    return new_leaf(numbers, device, requires_grad)


def randn(*sizes, size=(), generator=None, dtype=None, device=None,
          requires_grad=False) -> Tensor:
    """Return normal numbers, mean 0 and standard deviation 1: ``randn(2, 3)``."""
    space = np.empty(shape_from(sizes or size), float_dtype(dtype))
    numbers = normal_numbers(space, 0.0, 1.0, generator)
    return new_leaf(numbers, device, requires_grad)


def randint(low=0, high=None, size=None, *, generator=None, dtype=None, device=None,
            requires_grad=False) -> Tensor:
    """Return whole numbers from low (0) to high - 1: ``randint(10, (2, 3))``."""
    if size is None:                    # randint(high, size)
        low, high, size = 0, low, high
    elif high is None:                  # randint(high, size=size)
        low, high = 0, low
    if low >= high:
        raise RuntimeError("random_ expects 'from' to be less than 'to', but got "
                           f"from={low} >= to={high}")
    shape = shape_from((size,))
    generator = generator or default_generator
    is_wide = high - low >= 2**28
    draw = generator.bits64 if is_wide else generator.bits32
    steps = draw(math.prod(shape)) % np.uint64(high - low)
    numbers = steps.astype(np.int64) + low
    array = numbers.astype(dtypes.numpy_of(dtype, dtypes.INT64))
    return new_leaf(array.reshape(shape), device, requires_grad)


def randperm(n, *, generator=None, dtype=None, device=None,
             requires_grad=False) -> Tensor:
    """Return the numbers 0 to n - 1 in random order."""
    n, = shape_from((n,))
    generator = generator or default_generator
    bits = generator.bits32(max(n - 1, 0))
    steps = bits % np.arange(n, 1, -1, dtype=np.uint64)
    order = list(range(n))
    for i, step in enumerate(steps.tolist()):   # swap each with itself or a later one
        order[i], order[i + step] = order[i + step], order[i]
    array = np.array(order, dtypes.numpy_of(dtype, dtypes.INT64))
    return new_leaf(array, device, requires_grad)


fill_uniform = in_place(
    differentiable("UniformBackward0", self=zero_gradient)(uniform_numbers))
fill_normal = in_place(
    differentiable("NormalBackward0", self=zero_gradient)(normal_numbers))
fill_bernoulli = in_place(
    differentiable("BernoulliBackward2", self=zero_gradient)(bernoulli_numbers))


def uniform_(self, from_=0.0, to=1.0, *, generator=None) -> Tensor:
    """Fill with numbers spread evenly over [from, to)."""
    return fill_uniform(self, plain_number(from_), plain_number(to), generator)


def normal_(self, mean=0.0, std=1.0, *, generator=None) -> Tensor:
    """Fill with normal numbers with this mean and standard deviation."""
    return fill_normal(self, plain_number(mean), plain_number(std), generator)


def bernoulli_(self, p=0.5, *, generator=None) -> Tensor:
    """Fill with 1 with probability p, a number, and otherwise with 0."""
    return fill_bernoulli(self, plain_number(p), generator)


METHODS_ONLY = "uniform_ normal_ bernoulli_"
FUNCTIONS_ONLY = "rand randn randint randperm"
