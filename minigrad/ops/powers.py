"""Powers: a tensor or a number to the power of a tensor or a number."""
import numpy as np

from ..autograd.operation import differentiable
from ..dtypes import NUMBERS, in_result_dtype
from ..tensor import Tensor
from .choosing import choose_where
from .declaring import check_dtype, declining, with_in_place_form, wrong_type
from .elementwise import log
from .formulas import minus, times, zero_gradient


def gradient_of_base(grad, self, exponent):
    """Return grad * exponent * self ** (exponent - 1), which for exponent 0 is 0."""
    if exponent == 0:
        return zero_gradient(grad)      # even where self is 0: no 0 * inf
    exponent = float(exponent)
    return grad * times(self ** (exponent - 1), exponent)


@differentiable("PowBackward0", self=gradient_of_base)
def _power_of_number(self, exponent):
    if self.dtype.kind != "f" or type(exponent) not in (int, float):
        self, exponent = in_result_dtype(self, exponent)
        check_dtype(self, "b", "pow")
    return self ** exponent


def compute_power(self, exponent):
    self, exponent = in_result_dtype(self, exponent)
    if self.dtype.kind == "f":
        return self ** exponent
    check_dtype(self, "b", "pow")
    # To a negative power only 1 and -1 give integers; PyTorch returns 0 for others.
    has_power = (exponent >= 0) | (np.abs(self) == 1)
    return self ** np.abs(exponent) * has_power


def gradient_of_tensor_base(grad, self, exponent, result):
    slope = exponent * self ** minus(exponent, 1)
    return choose_where(exponent == 0, 0.0, grad * slope)


def gradient_of_exponent(grad, self, exponent, result):
    # 0 ** y is 0 for every positive y, and does not change with it.
    constant = (self == 0) & (exponent >= 0)
    return grad * choose_where(constant, 0.0, result * log(self))


def gradient_of_exponent_of_number(grad, self, exponent, result):
    slope = times(result, float(np.log(self)))
    if self == 0:
        slope = choose_where(exponent >= 0, 0.0, slope)
    return grad * slope


_power = differentiable(
    "PowBackward1",
    self=gradient_of_tensor_base, exponent=gradient_of_exponent,
)(compute_power)
_number_to_power = differentiable(
    "PowBackward2", exponent=gradient_of_exponent_of_number,
)(compute_power)


@with_in_place_form
def power(self, exponent):
    """Return self ** exponent; one of the two may be a number.

        torch.pow(torch.tensor([1., 2., 3.]), 2)        # tensor([1., 4., 9.])

    Raises NotImplementedError for bools.
    """
    base_is_tensor = isinstance(self, Tensor)
    if base_is_tensor and isinstance(exponent, NUMBERS):
        return _power_of_number, self, exponent
    if base_is_tensor and isinstance(exponent, Tensor):
        return _power, self, exponent
    if isinstance(self, NUMBERS) and isinstance(exponent, Tensor):
        return _number_to_power, self, exponent
    wrong = exponent if base_is_tensor else self
    raise wrong_type("pow", "exponent" if base_is_tensor else "input", wrong)


@with_in_place_form
def square(self):
    """Return self ** 2."""
    return _power_of_number, self, 2


IN_PLACE = METHODS = {"pow": power, "square": square}
ATTRIBUTES = {
    "__pow__": declining(power),
    "__rpow__": declining(lambda self, number: power(number, self)),
    "__ipow__": declining(power.in_place),
}
