"""What formulas ask of values: arrays in an ordinary pass, tensors in one that is recorded."""
from __future__ import annotations

import numpy as np

from ..tensor import Tensor, wrap


def array_of(x):
    """Return the numbers of a tensor; an array is its own."""
    return x._array if isinstance(x, Tensor) else x


def shape_of(x):
    """Return the shape as a tuple."""
    return x._array.shape if isinstance(x, Tensor) else np.shape(x)


def as_kind_of(x, array):
    """Return the array itself where `x` is an array, a tensor of it where `x` is a tensor."""
    return wrap(array) if isinstance(x, Tensor) else array


def new_zeros(x, shape):
    """Return zeros of this shape, in the dtype of `x`."""
    return as_kind_of(x, np.zeros(shape, array_of(x).dtype))


def maybe_multiply(x, factor):
    """Return ``x * factor``; a factor of 1 is not worth a multiplication."""
    return x if factor == 1 else x * factor


def not_implemented(name):
    """Return the formula of an operation through which PyTorch has no gradient, and says so."""
    def formula(grad):
        raise RuntimeError(f"derivative for aten::{name} is not implemented")
    return formula
