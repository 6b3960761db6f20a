"""What formulas do with values: arrays in an ordinary pass, else tensors."""
import numpy as np

from .. import dtypes
from ..autograd.calling import arrays_of as numbers_of
from ..tensor import Tensor, wrap
from .declaring import declare

shape_of = np.shape         # the shape of an array or a tensor

# NumPy converts a Python number each time it meets an array.  An array without
# dimensions is ready: `ONE[dtype] - x` takes half the time of `1 - x` for few numbers.
ZERO = {dtype: np.zeros((), dtype) for dtype in dtypes.BY_NUMPY}
ONE = {dtype: np.ones((), dtype) for dtype in dtypes.BY_NUMPY}


def as_kind_of(x, array):
    """Return the array itself where `x` is an array, or a tensor where `x` is one."""
    return wrap(array) if isinstance(x, Tensor) else array


def new_zeros(x, shape):
    """Return zeros of this shape in the dtype of `x`."""
    return as_kind_of(x, np.zeros(shape, numbers_of(x).dtype))


def zero_gradient(grad):
    """Return zeros: the gradient of a function that is constant almost everywhere."""
    return new_zeros(grad, shape_of(grad))


def maybe_multiply(x, factor):
    """Return x * factor; where the factor is 1, x itself."""
    return x if factor == 1 else times(x, factor)


def with_number(node_name, compute, gradient=lambda grad: grad):
    """Return a function of x and a number, which a tensor records by this name."""
    operation = declare(node_name, compute, self=gradient)

    def function(x, number):
        return operation(x, number) if isinstance(x, Tensor) else compute(x, number)
    return function


# As PyTorch's formulas, these save no tensor: MulBackward0, which ``*`` records, would
# save the number as one.
times = with_number(
    "MulBackward1", lambda self, other: self * other,
    lambda grad, other: times(grad, other))
divided = with_number(
    "DivBackward1", lambda self, other: self / other,
    lambda grad, other: divided(grad, other))
plus = with_number("AddBackward1", lambda self, other: self + other)
minus = with_number("SubBackward1", lambda self, other: self - other)
