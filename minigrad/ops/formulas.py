"""What formulas ask of values: arrays in an ordinary pass, tensors in one that is recorded."""
import numpy as np

from ..autograd.calling import arrays_of as array_of
from ..tensor import Tensor, wrap

shape_of = np.shape         # the shape of an array or a tensor


def as_kind_of(x, array):
    """Return the array itself where `x` is an array, a tensor of it where `x` is a tensor."""
    return wrap(array) if isinstance(x, Tensor) else array


def new_zeros(x, shape):
    return as_kind_of(x, np.zeros(shape, array_of(x).dtype))


def maybe_multiply(x, factor):
    return x if factor == 1 else x * factor
