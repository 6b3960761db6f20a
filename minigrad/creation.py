"""New tensors: from Python numbers and NumPy arrays, filled with one value, counted, or shaped like another."""
from __future__ import annotations

import warnings

import numpy as np

from . import dtypes
from .tensor import Tensor, wrap, wrap_new

COPY_CONSTRUCT = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).")


class device:
    """Where a tensor lives: here always the CPU.  Accepted wherever PyTorch accepts a device."""

    def __init__(self, name="cpu", index=None):
        if isinstance(name, device):
            name = name.type
        kind = str(name).partition(":")[0]
        if kind != "cpu":
            raise RuntimeError(f"minigrad computes on the CPU only; there is no device '{name}'")
        self.type, self.index = kind, index

    def __repr__(self):
        return f"device(type='{self.type}')"

    def __str__(self):
        return self.type

    def __eq__(self, other):
        return isinstance(other, device) and other.type == self.type

    def __hash__(self):
        return hash(self.type)


def finish(array, requires_grad, on=None):
    """The tensor of a creation function."""
    if on is not None:
        device(on)
    result = wrap_new(array)
    if requires_grad:
        result._set_requires_grad(True, "Only Tensors of floating point and complex dtype can require gradients")
    return result


def numpy_dtype(dtype, otherwise):
    return otherwise if dtype is None else dtype.numpy


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """A new leaf with a copy of `data`: a number, nested lists, a NumPy array or scalar, a tensor.

    Python floats become the default dtype, integers int64, booleans bool; NumPy data keep their dtype.

    Raises:
        RuntimeError: integers with ``requires_grad=True``.
        ValueError: nested lists of unequal lengths.
    """
    if isinstance(data, Tensor):
        warnings.warn(COPY_CONSTRUCT, UserWarning, stacklevel=2)
        return finish(data._array.astype(numpy_dtype(dtype, data._array.dtype)), requires_grad, device)
    return finish(array_from(data, dtype), requires_grad, device)


def array_from(data, dtype=None):
    """The numbers of nested Python data as a new array."""
    if isinstance(data, (np.ndarray, np.generic)):
        return np.array(data, dtype=numpy_dtype(dtype, None))
    raw = np.array(data)
    if raw.dtype.kind == "f":
        return raw.astype(numpy_dtype(dtype, dtypes.Default.numpy))
    return raw if dtype is None else raw.astype(dtype.numpy)


def size_of(size):
    """The shape that `ones(2, 3)`, `ones((2, 3))` and `ones([2, 3])` all mean."""
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        size = size[0]
    return tuple(int(n) for n in size)


def zeros(*size, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A new leaf of this shape, filled with 0."""
    return finish(np.zeros(size_of(size), numpy_dtype(dtype, dtypes.Default.numpy)), requires_grad, device)


def ones(*size, dtype=None, device=None, requires_grad=False) -> Tensor:
    """A new leaf of this shape, filled with 1."""
    return finish(np.ones(size_of(size), numpy_dtype(dtype, dtypes.Default.numpy)), requires_grad, device)


FUNCTIONS_ONLY = "tensor zeros ones"
