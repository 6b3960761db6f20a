"""Random tensors whose shape, or whose mean and deviation, come from other tensors."""
import numpy as np

from ..autograd.operation import differentiable
from ..creation import float_dtype, new_leaf, plain_number, shape_from
from ..errors import common_shape
from ..ops.declaring import new_zeros, zero_gradient
from ..random.sampling import bernoulli_numbers, normal_numbers, rand, randn
from ..tensor import Tensor


def rand_like(input, *, generator=None, dtype=None, device=None,
              requires_grad=False) -> Tensor:
    """Return numbers spread evenly over [0, 1), in the shape and dtype of a tensor."""
    return rand(*input.shape, generator=generator, dtype=dtype or input.dtype,
                device=device, requires_grad=requires_grad)


def randn_like(input, *, generator=None, dtype=None, device=None,
               requires_grad=False) -> Tensor:
    """Return normal numbers in the shape and dtype of a tensor."""
    return randn(*input.shape, generator=generator, dtype=dtype or input.dtype,
                 device=device, requires_grad=requires_grad)


@differentiable("BernoulliBackward0", self=zero_gradient)
def _bernoulli(self, generator):
    return bernoulli_numbers(self, self, generator)


def bernoulli(input, *, generator=None) -> Tensor:
    """Return 1 with the probability that `input` holds at each place, otherwise 0."""
    return _bernoulli(input, generator)


def normal(mean, std=1.0, size=None, *, generator=None, dtype=None, device=None,
           requires_grad=False) -> Tensor:
    """Return normal numbers with this mean and standard deviation.

    >>> torch.normal(0.0, 1.0, (2, 3))      # numbers need a shape
    >>> torch.normal(torch.zeros(3), torch.tensor([1.0, 2.0, 3.0]))

    Tensors give each number a mean or a deviation of its own; they broadcast.  Their
    gradient is zero.
    """
    has_tensors = isinstance(mean, Tensor) or isinstance(std, Tensor)
    if size is None and has_tensors:
        return normal_around(mean, std, generator)
    if size is None:
        raise TypeError("normal() of two numbers needs a size, as in "
                        "normal(0.0, 1.0, (2, 3))")
    space = np.empty(shape_from((size,)), float_dtype(dtype))
    numbers = normal_numbers(space, plain_number(mean), plain_number(std), generator)
    return new_leaf(numbers, device, requires_grad)


def normal_around(mean, std, generator):
    """Return normal numbers for tensors, of which one may be a number."""
    if not isinstance(std, Tensor):
        return _normal_mean(mean, std, generator)
    if not isinstance(mean, Tensor):
        return _normal_std(std, mean, generator)
    return _normal_both(mean, std, generator)


@differentiable("NormalBackward1", mean=zero_gradient)
def _normal_mean(mean, std, generator):
    return normal_numbers(mean, 0.0, std, generator) + mean


@differentiable("NormalBackward2", std=zero_gradient)
def _normal_std(std, mean, generator):
    return standard_numbers(std, std.shape, std.dtype, generator) + std.dtype.type(mean)


@differentiable(
    "NormalBackward3",
    mean=lambda grad, mean_shape: new_zeros(grad, mean_shape),
    std=lambda grad, std_shape: new_zeros(grad, std_shape))
def _normal_both(mean, std, generator):
    shape = common_shape(mean.shape, std.shape)
    numbers = standard_numbers(std, shape, mean.dtype, generator) + mean
    return numbers.astype(mean.dtype, copy=False)


def standard_numbers(std, shape, dtype, generator):
    """Return normal numbers with mean 0 and these standard deviations."""
    if np.any(std < 0):
        raise RuntimeError("normal expects all elements of std >= 0.0")
    return normal_numbers(np.empty(shape, dtype), 0.0, 1.0, generator) * std


METHODS = "bernoulli"
FUNCTIONS_ONLY = "normal rand_like randn_like"
