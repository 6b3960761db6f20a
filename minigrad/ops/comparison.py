"""Questions about numbers: == < isnan & | ~, isclose, allclose, equal.

The answers are bools, and no operation on them is recorded.  In place, as in
``x.eq_(0)``, they overwrite numbers that may have a history: their gradient is then 0.
"""
import numpy as np

from ..autograd.inplace import in_place
from ..tensor import wrap
from .declaring import (
    check_dtype,
    declare,
    expect_tensors,
    with_in_place_form,
    zero_gradient,
)


def comparison(name, ufunc):
    """Declare a comparison: return the operator and the public function."""
    operation = declare(
        f"{name.title()}Backward0", ufunc, self=zero_gradient, other=zero_gradient)

    def choose(self, other):
        return operation, self, other

    choose.__name__ = name
    choose.__doc__ = f"Return NumPy's `{ufunc.__name__}` of each pair of numbers."
    return operation, with_in_place_form(choose)


# The operator, which declines operands of other types; and the public function.
_eq, eq = comparison("eq", np.equal)
_ne, ne = comparison("ne", np.not_equal)
_lt, lt = comparison("lt", np.less)
_le, le = comparison("le", np.less_equal)
_gt, gt = comparison("gt", np.greater)
_ge, ge = comparison("ge", np.greater_equal)


def equals(self, other):
    """Compare with ``==``; a NumPy array counts as a tensor, as in PyTorch."""
    if isinstance(other, np.ndarray):
        other = wrap(other)
    return _eq(self, other)


def bitwise(name, ufunc):
    """Declare an operator on the bits of integers, or on bools."""
    def forward(self, other):
        check_dtype(self, "f", f"{name}_cpu")
        return ufunc(self, other)
    return declare(
        f"{name.title()}Backward0", forward, self=zero_gradient, other=zero_gradient)


def _invert(self):
    if self.dtype.kind == "f":
        raise TypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type "
            "tensors")
    return np.invert(self)


_and = bitwise("bitwise_and", np.bitwise_and)
_or = bitwise("bitwise_or", np.bitwise_or)
_xor = bitwise("bitwise_xor", np.bitwise_xor)
_not = declare("Bitwise_NotBackward0", _invert, self=zero_gradient)


isnan = declare("IsnanBackward0", np.isnan, self=zero_gradient)
isinf = declare("IsinfBackward0", np.isinf, self=zero_gradient)
isfinite = declare("IsfiniteBackward0", np.isfinite, self=zero_gradient)


_isclose = declare(
    "IscloseBackward0",
    lambda self, other, rtol, atol, equal_nan: np.isclose(
        self, other, rtol, atol, equal_nan),
    self=None, other=None)


def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Return where abs(self - other) <= atol + rtol * abs(other).

    Raises RuntimeError if the dtypes differ.
    """
    expect_tensors("isclose", input=self, other=other)
    if self.dtype is not other.dtype:
        raise RuntimeError(
            f"{self.dtype.short_name} did not match {other.dtype.short_name}")
    return _isclose(self, other, rtol, atol, equal_nan)


def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> bool:
    """Return whether all numbers are close; see ``isclose``."""
    return bool(isclose(self, other, rtol, atol, equal_nan)._array.all())


def equal(self, other) -> bool:
    """Return whether two tensors have the same shape and the same numbers."""
    expect_tensors("equal", input=self, other=other)
    return np.array_equal(self._array, other._array)


IN_PLACE = "eq ne lt le gt ge"
METHODS = "eq ne lt le gt ge isnan isinf isfinite isclose allclose equal"
ATTRIBUTES = {
    "__eq__": equals, "__ne__": _ne,
    "__lt__": _lt, "__le__": _le, "__gt__": _gt, "__ge__": _ge,
    "__and__": _and, "__rand__": _and, "__iand__": in_place(_and),
    "__or__": _or, "__ror__": _or, "__ior__": in_place(_or),
    "__xor__": _xor, "__rxor__": _xor, "__ixor__": in_place(_xor),
    "__invert__": _not,
}
