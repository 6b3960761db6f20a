"""Powers: a tensor to the power of a tensor or a number, and a number to that of a tensor."""
from __future__ import annotations

import math

import numpy as np

from ..autograd.operation import differentiable
from ..dtypes import NUMBERS, promoted
from ..tensor import Tensor
from .arithmetic import operator
from .comparison import choose_where
from .elementwise import dispatch, flat, log, refuse


@differentiable("PowBackward0", self=lambda grad, self, exponent: (
    flat(grad) if exponent == 0 else grad * (exponent * self ** (exponent - 1))))
def _pow_number(self, exponent):
    if self.dtype.kind == "f":
        return self ** exponent         # NumPy is quicker with a number than with an array
    self, exponent = promoted(self, exponent)
    return refuse("b", self, "pow") ** exponent


@differentiable("PowBackward1",
                self=lambda grad, self, exponent, result: choose_where(
                    exponent == 0, 0.0, grad * (exponent * self ** (exponent - 1))),
                exponent=lambda grad, self, exponent, result: (     # 0 ** y does not change with y
                    grad * choose_where((self == 0) & (exponent >= 0), 0.0, result * log(self))))
def _pow(self, exponent):
    self, exponent = promoted(self, exponent)
    if self.dtype.kind == "f":
        return self ** exponent
    # where an exponent is negative only 1 and -1 have an integer power; others give 0 in PyTorch
    power = refuse("b", self, "pow") ** np.where(exponent < 0, exponent & 1, exponent)
    return np.where((exponent < 0) & (np.abs(self) != 1), 0, power)


_number_pow = differentiable("PowBackward2", exponent=lambda grad, self, exponent, result: (
    grad * (result * (math.log(self) if self > 0 else math.nan)) if self else
    grad * choose_where(exponent >= 0, 0.0, result * -math.inf)))(_pow.operation.forward)


@dispatch
def pow(self, exponent):
    """Return self ** exponent; one of the two may be a number."""
    if isinstance(exponent, NUMBERS):
        return _pow_number, self, exponent
    return _pow if isinstance(self, Tensor) else _number_pow, self, exponent


@dispatch
def square(self):
    """Return self ** 2."""
    return _pow_number, self, 2


IN_PLACE = METHODS = "pow square"
OPERATORS = {"__pow__": operator(pow), "__ipow__": operator(pow.in_place),
             "__rpow__": operator(lambda self, number: pow(number, self))}
