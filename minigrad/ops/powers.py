"""Powers: ``**`` with a number or a tensor on either side."""
from __future__ import annotations

import math

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..autograd.inplace import in_place
from ..memory import by_rows, copy_in_order
from ..messages import counts_arguments, invalid_combination
from ..tensor import Tensor
from . import rounding
from .comparison import logical_and, where
from .elementwise import log, zeros_like
from .operands import as_tensors, not_bool, or_not_implemented

GRADIENT_FIRST = True       # see Operation.gradient_first

# --- powers -------------------------------------------------------------------------------------------------

def _power_gradient(grad, self, exponent):
    if exponent == 0:
        return zeros_like(grad)
    exponent = float(exponent)      # PyTorch's formula works with a double, and a recorded pass shows it
    return grad * (exponent * pow(self, exponent - 1))


# NumPy's power is slow: the exponents that people write are computed by other means, as in PyTorch.
_QUICK_POWERS = {
    2: lambda x: x * x, 1: copy_in_order, 3: lambda x: x * x * x, 0.5: np.sqrt, -1: np.reciprocal,
    -0.5: lambda x: 1 / np.sqrt(x), -2: lambda x: 1 / (x * x), 0: lambda x: np.ones_like(x * x)}


@differentiable("PowBackward0", self=_power_gradient)
def _pow_number(self, exponent):
    array, number = dtypes.with_number(self, exponent)
    if array.dtype.kind == "f":
        quick = _QUICK_POWERS.get(exponent)
        return rounding.power(array, number) if quick is None else quick(array)
    if exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    not_bool(array, "pow")
    return np.power(array, number)


def _base_gradient(grad, self, exponent):
    return where(exponent == 0.0, 0.0, grad * (exponent * _pow(self, exponent - 1)))


def _exponent_gradient(grad, self, exponent, result):
    # 0 ** y is constant in y (for y >= 0), though log(0) is not finite
    constant = logical_and(self == 0, exponent >= 0)
    return grad * where(constant, 0.0, result * log(self))


@differentiable("PowBackward1", self=_base_gradient, exponent=_exponent_gradient)
def _pow(self, exponent):
    return _power(self, exponent)


def _exponent_gradient_of_number(grad, self, exponent, result):
    if self == 0:
        return grad * where(exponent >= 0, 0.0, result * -math.inf)
    return grad * (result * (math.log(self) if self > 0 else math.nan))


@differentiable("PowBackward2", exponent=_exponent_gradient_of_number)
def _number_pow(self, exponent):
    array, number = dtypes.with_number(exponent, self)
    return by_rows(_power(number, array))


def _power(base, exponent):
    if base.dtype.kind == "f":
        return rounding.power(base, exponent)
    not_bool(base, "pow")
    # of integers to negative powers, only those of 1 and -1 are integers; PyTorch gives 0 for the others
    inverse = np.where(base == 1, 1, np.where(base == -1, 1 - 2 * (exponent & 1), 0))
    return np.where(exponent < 0, inverse, np.power(base, np.maximum(exponent, 0))).astype(base.dtype)


# --- the public forms ---------------------------------------------------------------------------------------

@counts_arguments
def pow(self, exponent):
    """self ** exponent, broadcast; either may be a number."""
    if isinstance(exponent, Tensor):
        if not isinstance(self, Tensor):
            if not isinstance(self, dtypes.NUMBERS):
                raise invalid_combination("pow", POW_SIGNATURES, self, exponent, in_function=POW_FUNCTION)
            return _number_pow(self, exponent)
        return _pow(*as_tensors(self, exponent, "pow"))
    if not isinstance(exponent, dtypes.NUMBERS):
        if isinstance(self, Tensor):
            raise invalid_combination("pow", POW_SIGNATURES, self, exponent, in_function=POW_FUNCTION)
        return _pow(self, exponent)             # a formula at work on arrays
    if isinstance(self, dtypes.NUMBERS) and not isinstance(self, np.generic):
        raise invalid_combination("pow", POW_SIGNATURES, self, exponent, in_function=POW_FUNCTION)
    return _pow_number(self, exponent)


POW_SIGNATURES = ("Tensor exponent", "Number exponent")
POW_FUNCTION = tuple([f"{form}, *, Tensor out = None" for form in (
    "Tensor input, Tensor exponent", "Number self, Tensor exponent", "Tensor input, Number exponent")])


def square(self):
    """self ** 2."""
    return pow(self, 2)


@counts_arguments
def float_power(self, exponent):
    """self ** exponent, computed in float64 whatever the dtypes."""
    as_double = [v.to(dtypes.float64) if isinstance(v, Tensor) else float(v) for v in (self, exponent)]
    return pow(*as_double)


def float_power_(self, exponent):
    """`float_power`, written over self, which must be float64."""
    if self._array.dtype != dtypes.FLOAT64:
        raise RuntimeError(f"the base given to float_power_ has dtype {dtypes.short_name(self._array.dtype)} "
                           "but the operation's result requires dtype Double")
    return pow_(self, exponent.to(dtypes.float64) if isinstance(exponent, Tensor) else float(exponent))


def pow_(self, exponent):
    """self **= exponent."""
    if isinstance(exponent, Tensor):
        return _write_pow(*as_tensors(self, exponent, "pow_"))
    if not isinstance(exponent, dtypes.NUMBERS):
        raise invalid_combination("pow_", POW_SIGNATURES, self, exponent)
    return _write_pow_number(self, exponent)


def square_(self):
    """self **= 2."""
    return pow_(self, 2)


_write_pow, _write_pow_number = in_place(_pow), in_place(_pow_number)

METHODS = "pow square float_power"
METHODS_ONLY = "pow_ square_ float_power_"
OPERATORS = {"__pow__": or_not_implemented(pow),
             "__rpow__": or_not_implemented(lambda self, other: pow(other, self)),
             "__ipow__": or_not_implemented(pow_)}
