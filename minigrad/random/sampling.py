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
from ..errors import not_implemented_for
from ..ops.declaring import zero_gradient
from ..tensor import Tensor
from .generator import default_generator

# --- how PyTorch draws the numbers -------------------------------------------------
# The number of draws matters, too: all that is drawn later depends on it.  A recipe
# takes the array to be filled for its shape and dtype.

def uniform_numbers(self, low, high, generator):
    """Return numbers spread evenly over [low, high)."""
    check_float(self.dtype, "check_uniform_bounds")
    if low > high:
        raise RuntimeError("uniform_ expects to return a [from, to) range, but found "
                           f"from={low:g} > to={high:g}")
    generator = generator or default_generator
    values = generator.uniform(self.size, self.dtype)
    number = values.dtype.type
    values = values * number(high - low) + number(low)
    values[values >= high] = low        # rounding may have reached `high`
    return values.astype(self.dtype).reshape(self.shape)


def normal_numbers(self, mean, std, generator):
    """Return normal numbers with this mean and standard deviation.

    Fewer than 16 are made one after another, in float64.  From 16 on they are made in
    blocks of 16; if some remain, the last 16 are drawn again as a block.
    """
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    check_float(self.dtype, "normal_kernel_cpu")
    generator = generator or default_generator
    count = self.size
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
    """Return normal numbers made of uniform ones by the Box-Muller transform.

        sqrt(-2 log(1 - u)) cos(2 pi v),  sqrt(-2 log(1 - u)) sin(2 pi v)

    It works in blocks of 16: `u` is among the first eight numbers, `v` among the last.
    """
    blocks = uniform.reshape(-1, 2, 8)
    radius = np.sqrt(-2 * np.log1p(-blocks[:, 0]))
    angle = 2 * math.pi * blocks[:, 1]
    pairs = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
    return pairs.reshape(-1)


def bernoulli_numbers(self, p, generator):
    """Return 1 with probability p, a number or an array of this shape, otherwise 0."""
    p = np.asarray(p, getattr(p, "dtype", np.float64))
    check_float(p.dtype, "bernoulli_tensor_cpu_p_")
    if not np.all((p >= 0) & (p <= 1)):
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
    generator = generator or default_generator
    draws = generator.uniform(self.size, p.dtype)
    return (draws.reshape(self.shape) < p).astype(self.dtype)


def check_float(dtype, kernel):
    """Refuse integers and bools; `kernel` is how PyTorch calls the recipe."""
    if dtype.kind != "f":
        raise not_implemented_for(kernel, dtype)


# --- what programs call --------------------------------------------------------------

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
