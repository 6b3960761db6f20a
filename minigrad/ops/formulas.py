"""What formulas do with values: arrays in an ordinary pass, else tensors."""
import numpy as np

from ..autograd.calling import arrays_of as array_of
from ..tensor import Tensor, wrap
from .declaring import declare

shape_of = np.shape         # the shape of an array or a tensor


def as_kind_of(x, array):
    """Return the array itself where `x` is an array, or a tensor where `x` is one."""
    return wrap(array) if isinstance(x, Tensor) else array


def new_zeros(x, shape):
    """Return zeros of this shape in the dtype of `x`."""
    return as_kind_of(x, np.zeros(shape, array_of(x).dtype))


def number_like(x, number):
    """Return a number in the dtype of `x`, without dimensions.

    Before ``-`` or ``/`` it leaves the nodes that PyTorch's formulas leave.
    """
    return as_kind_of(x, np.array(number, array_of(x).dtype))


def zero_gradient(grad):
    """Return zeros: the gradient of a function that is constant almost everywhere."""
    return new_zeros(grad, shape_of(grad))


def maybe_multiply(x, factor):
    """Return x * factor; where the factor is 1, x itself."""
    return x if factor == 1 else times(x, factor)


def times(x, number):
    """Return x * number, recorded as MulBackward1, as PyTorch's formulas do.

    It saves no tensor: MulBackward0, which ``*`` records, would save the number as one.
    """
    return _multiply(x, number) if isinstance(x, Tensor) else x * number


def divided(x, number):
    """Return x / number, recorded as DivBackward1, as PyTorch's formulas do."""
    return _divide(x, number) if isinstance(x, Tensor) else x / number


def plus(x, number):
    """Return x + number, recorded as AddBackward1, as PyTorch's formulas do."""
    return _add(x, number) if isinstance(x, Tensor) else x + number


def minus(x, number):
    """Return x - number, recorded as SubBackward1, as PyTorch's formulas do."""
    return _subtract(x, number) if isinstance(x, Tensor) else x - number


_add = declare(
    "AddBackward1", lambda self, other: self + other, self=lambda grad: grad)
_subtract = declare(
    "SubBackward1", lambda self, other: self - other, self=lambda grad: grad)
_multiply = declare(
    "MulBackward1", lambda self, other: self * other,
    self=lambda grad, other: times(grad, other))
_divide = declare(
    "DivBackward1", lambda self, other: self / other,
    self=lambda grad, other: divided(grad, other))
