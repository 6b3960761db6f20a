"""Powers: a tensor to the power of a tensor or a number, and a number to that of a tensor."""
import numpy as np

from ..autograd.operation import differentiable
from ..dtypes import NUMBERS, promoted
from ..tensor import Tensor
from .arithmetic import operator
from .comparison import choose_where
from .elementwise import declare, dispatch, flat, log, refuse


@differentiable("PowBackward0", self=lambda grad, self, exponent: (
    flat(grad) if exponent == 0 else grad * (float(exponent) * self ** (float(exponent) - 1))))
def _pow_number(self, exponent):
    if self.dtype.kind != "f" or type(exponent) not in (int, float):  # others need promotion
        self, exponent = promoted(self, exponent)
    return refuse("b", self, "pow") ** exponent


def power(self, exponent):
    self, exponent = promoted(self, exponent)
    if self.dtype.kind == "f":
        return self ** exponent
    # of integers with a negative exponent only 1 and -1 have a power; others give 0 in PyTorch
    return refuse("b", self, "pow") ** np.abs(exponent) * ((exponent >= 0) | (np.abs(self) == 1))


_pow = declare("PowBackward1", power,
               self=lambda grad, self, exponent, result: choose_where(
                   exponent == 0, 0.0, grad * (exponent * self ** (exponent - 1))),
               exponent=lambda grad, self, exponent, result: (      # 0 ** y does not change with y
                   grad * choose_where((self == 0) & (exponent >= 0), 0.0, result * log(self))))
_number_pow = declare("PowBackward2", power, exponent=lambda grad, self, exponent, result: (
    grad * (result * float(np.log(self))) if self else
    grad * choose_where(exponent >= 0, 0.0, result * float(np.log(self)))))


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
