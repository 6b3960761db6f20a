"""Random tensors: how bits become uniform, normal and whole numbers, by PyTorch's recipes.

The number of draws matters, too: all that is drawn later depends on it.  A recipe takes the array
to be filled for its shape and dtype.  What a tensor held before has no influence on what it is
filled with, so the gradient of filling it is zero.
"""
import math

import numpy as np

from .. import dtypes
from ..autograd.inplace import in_place
from ..autograd.operation import differentiable
from ..creation import float_dtype, like_form, new_leaf, plain_number, size_of
from ..ops.elementwise import flat, refuse
from ..tensor import Tensor
from .generator import default_generator


def uniform_numbers(self, low, high, generator):
    """Return numbers spread evenly over [low, high)."""
    refuse("biu", self, "check_uniform_bounds")
    if low > high:
        raise RuntimeError("uniform_ expects to return a [from, to) range, but found "
                           f"from={low:g} > to={high:g}")
    values = (generator or default_generator).uniform(self.size, self.dtype)
    number = values.dtype.type
    values = values * number(high - low) + number(low)
    values[values >= high] = low        # rounding may have reached `high`
    return values.astype(self.dtype).reshape(self.shape)


def normal_numbers(self, mean, std, generator):
    """Return normal numbers with this mean and standard deviation.

    Fewer than 16 are made one after another, in float64.  From 16 on they are made in blocks of
    16; if some remain, the last 16 are drawn again as a block.
    """
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    refuse("biu", self, "normal_kernel_cpu")
    generator, count = generator or default_generator, self.size
    if count < 16:
        values = np.array(generator.normals(count))
    else:
        again = 16 if count % 16 else 0
        draws = generator.uniform(count + again, self.dtype)
        whole = count // 16 * 16
        values = np.concatenate([box_muller(draws[:whole]), draws[whole:count]])
        values[count - again:] = box_muller(draws[count:])
    return (values * std + mean).astype(self.dtype).reshape(self.shape)


def box_muller(uniform):
    """Return normal numbers made of uniform ones by the Box-Muller transform, in blocks of 16.

        sqrt(-2 log(1 - u)) cos(2 pi v),  sqrt(-2 log(1 - u)) sin(2 pi v)

    where `u` is among the first eight numbers of a block and `v` among the last eight.
    """
    blocks = uniform.reshape(-1, 2, 8)
    radius = np.sqrt(-2 * np.log1p(-blocks[:, 0]))
    angle = 2 * math.pi * blocks[:, 1]
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).reshape(-1)


def bernoulli_numbers(self, p, generator):
    """Return 1 with probability p, a number or an array of this shape, otherwise 0."""
    p = refuse("biu", p if isinstance(p, np.ndarray) else np.float64(p), "bernoulli_tensor_cpu_p_")
    if not np.all((p >= 0) & (p <= 1)):
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
    draws = (generator or default_generator).uniform(self.size, p.dtype)
    return (draws.reshape(self.shape) < p).astype(self.dtype)


def rand(*args, size=(), generator=None, dtype=None, **options) -> Tensor:
    """Return numbers spread evenly over [0, 1): ``rand(2, 3)``."""
    space = np.empty(size_of(args or size, "rand"), float_dtype(dtype))
    return new_leaf(uniform_numbers(space, 0.0, 1.0, generator), **options)


def randn(*args, size=(), generator=None, dtype=None, **options) -> Tensor:
    """Return normal numbers with mean 0 and standard deviation 1: ``randn(2, 3)``."""
    shape = size_of(args or size, "randn")
    return normal(0.0, 1.0, shape, generator=generator, dtype=dtype, **options)


def normal(mean, std, size, *, generator=None, dtype=None, **options) -> Tensor:
    """Return normal numbers with this mean and standard deviation: ``normal(0.0, 1.0, (2, 3))``."""
    space = np.empty(size_of((size,)), float_dtype(dtype))
    return new_leaf(normal_numbers(space, mean, std, generator), **options)


def randint(low=0, high=None, size=None, *, generator=None, dtype=None, **options) -> Tensor:
    """Return whole numbers from low (0) to high - 1: ``randint(10, (2, 3))``."""
    if size is None:
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    if low >= high:
        raise RuntimeError("random_ expects 'from' to be less than 'to', but got "
                           f"from={low} >= to={high}")
    generator, shape = generator or default_generator, size_of((size,))
    draw = generator.bits64 if high - low >= 2**28 else generator.bits32
    numbers = (draw(math.prod(shape)) % np.uint64(high - low)).astype(np.int64) + low
    array = numbers.astype(dtypes.numpy_of(dtype, dtypes.INT64)).reshape(shape)
    return new_leaf(array, **options)


def randperm(n, *, generator=None, dtype=None, **options) -> Tensor:
    """Return the numbers 0 to n - 1 in random order."""
    order = list(range(*size_of((n,), "randperm")))
    bits = (generator or default_generator).bits32(max(n - 1, 0))
    steps = bits % np.arange(n, 1, -1, dtype=np.uint64)
    for i, step in enumerate(steps.tolist()):       # swap each place with itself or a later one
        order[i], order[i + step] = order[i + step], order[i]
    return new_leaf(np.array(order, dtypes.numpy_of(dtype, dtypes.INT64)), **options)


rand_like, randn_like = like_form(rand), like_form(randn)


@differentiable("BernoulliBackward0", self=flat)
def _bernoulli(self, generator):
    return bernoulli_numbers(self, self, generator)


def bernoulli(input, *, generator=None) -> Tensor:
    """Return 1 with the probability that `input` holds at each place, otherwise 0."""
    return _bernoulli(input, generator)


fill_uniform = in_place(differentiable("UniformBackward0", self=flat)(uniform_numbers))
fill_normal = in_place(differentiable("NormalBackward0", self=flat)(normal_numbers))
fill_bernoulli = in_place(differentiable("BernoulliBackward2", self=flat)(bernoulli_numbers))


def uniform_(self, from_=0.0, to=1.0, *, generator=None) -> Tensor:
    """Fill with numbers spread evenly over [from, to)."""
    return fill_uniform(self, plain_number(from_), plain_number(to), generator)


def normal_(self, mean=0.0, std=1.0, *, generator=None) -> Tensor:
    """Fill with normal numbers with this mean and standard deviation."""
    return fill_normal(self, plain_number(mean), plain_number(std), generator)


def bernoulli_(self, p=0.5, *, generator=None) -> Tensor:
    """Fill with 1 with probability p, a number, and otherwise with 0."""
    return fill_bernoulli(self, plain_number(p), generator)


METHODS = "bernoulli"
METHODS_ONLY = "uniform_ normal_ bernoulli_"
FUNCTIONS_ONLY = "rand randn rand_like randn_like randint randperm normal"
