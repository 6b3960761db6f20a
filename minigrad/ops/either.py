"""What arrays and tensors both have, for formulas, which work on either."""
from __future__ import annotations

import numpy as np

from ..tensor import Tensor, wrap


def array_of(x):
    """The numbers behind a tensor; an array is its own."""
    return x._array if isinstance(x, Tensor) else x


def shape_of(x):
    return x._array.shape if isinstance(x, Tensor) else np.shape(x)


def size_of(x):
    """The number of elements."""
    return x._array.size if isinstance(x, Tensor) else np.size(x)


def dtype_of(x):
    """The NumPy dtype."""
    return array_of(x).dtype


def beside(like, array):
    """A new array as what `like` is: a constant tensor beside a tensor, an array beside an array."""
    return wrap(array) if isinstance(like, Tensor) else array


def zeros_beside(like, shape):
    """Zeros of this shape in the dtype of `like`."""
    return beside(like, np.zeros(shape, dtype_of(like)))


def ones_beside(like, shape):
    """Ones of this shape in the dtype of `like`."""
    return beside(like, np.ones(shape, dtype_of(like)))
