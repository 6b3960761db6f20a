"""Questions about numbers, and choices between them: < == isnan & allclose where maximum clamp.

The answers are bools and not recorded. In place they overwrite the numbers, with a gradient of 0.
"""
import operator

import numpy as np

from ..autograd.inplace import in_place
from ..autograd.operation import differentiable
from ..dtypes import promoted
from ..errors import type_name
from ..tensor import Tensor
from .elementwise import declare, dispatch, exact, flat, refuse


def question(name, compute, refused=""):
    """Declare a question about numbers, not of the kinds `refused`: operator and function."""
    operation = declare(
        f"{name.title()}Backward0",
        lambda self, other: compute(refuse(refused, self, f"{name}_cpu"), other),
        self=flat, other=flat)

    def choose(self, other):
        return operation, self, other
    choose.__name__, choose.__doc__ = name, f"Return `{name}` of each pair of numbers."
    return operation, dispatch(choose)


_eq, eq = question("eq", np.equal)
_ne, ne = question("ne", np.not_equal)
_lt, lt = question("lt", np.less)
_le, le = question("le", np.less_equal)
_gt, gt = question("gt", np.greater)
_ge, ge = question("ge", np.greater_equal)
_and, _ = question("bitwise_and", np.bitwise_and, "f")
_or, _ = question("bitwise_or", np.bitwise_or, "f")
_xor, _ = question("bitwise_xor", np.bitwise_xor, "f")

isnan = exact("IsnanBackward0", np.isnan, flat)
isinf = exact("IsinfBackward0", np.isinf, flat)
isfinite = exact("IsfiniteBackward0", np.isfinite, flat)


def _invert(self):
    if self.dtype.kind == "f":
        raise TypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return np.invert(self)


_isclose = declare("IscloseBackward0", lambda self, other, rtol, atol, equal_nan: np.isclose(
    self, other, rtol, atol, equal_nan), self=None, other=None)


def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Return where abs(self - other) <= atol + rtol * abs(other)."""
    if self.dtype is not other.dtype:
        raise RuntimeError(f"{self.dtype.short_name} did not match {other.dtype.short_name}")
    return _isclose(self, other, rtol, atol, equal_nan)


def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> bool:
    """Return whether all numbers are close, see ``isclose``."""
    return bool(isclose(self, other, rtol, atol, equal_nan)._array.all())


def equal(self, other) -> bool:
    """Return whether two tensors have the same shape and the same numbers."""
    return np.array_equal(self._array, other._array)


choose_where = declare(
    "WhereBackward0", lambda condition, self, other: np.where(condition, *promoted(self, other)),
    condition=None, self=lambda grad, condition: choose_where(condition, grad, 0),
    other=lambda grad, condition: choose_where(condition, 0, grad))
zero_where = declare(
    "MaskedFillBackward0", lambda mask, self: np.where(mask, self.dtype.type(0), self),
    mask=None, self=lambda grad, mask: zero_where(mask, grad))


def choice(name, ufunc, loses):
    """Declare maximum or minimum, in which two equal numbers share the gradient."""
    def share(grad, self, other):
        return zero_where(loses(self, other), choose_where(self == other, grad / 2, grad))

    operation = declare(f"{name.title()}Backward0", lambda self, other: ufunc(self, other),
                        self=share, other=lambda grad, self, other: share(grad, other, self))

    def function(self, other):
        """Return the larger (smaller) of each two numbers, nan if one is; both are tensors."""
        if not isinstance(other, Tensor):
            raise TypeError(f"{name}(): argument 'other' must be Tensor, not {type_name(other)}")
        return operation(self, other)
    return function


maximum = choice("maximum", np.maximum, operator.lt)
minimum = choice("minimum", np.minimum, operator.gt)


def limit(self, min=None, max=None):
    """Return an array with what is below min, or above max, moved there; either may be None."""
    self, *bounds = promoted(*[value for value in (self, min, max) if value is not None])
    if min is not None:
        self = np.maximum(bounds[0], self)
    return self if max is None else np.minimum(bounds[-1], self)


def pass_inside(grad, self, min, max):
    """Return the gradient where the number was within its bounds, and 0 elsewhere."""
    above = True if min is None else self >= min
    return choose_where(above if max is None else above & (self <= max), grad, 0)


clamp_to_numbers = differentiable("ClampBackward1", self=pass_inside)(limit)
clamp_to_tensors = differentiable(
    "ClampBackward0", self=pass_inside, min=lambda grad, self, min, max: choose_where(
        self < min if max is None else (self < min) & (min < max), grad, 0),
    max=lambda grad, self, min, max: choose_where(
        self > max if min is None else (self > max) | (max < min), grad, 0))(limit)


def where(condition, self=None, other=None):
    """Return self where the condition is true and other elsewhere; all three broadcast.

        torch.where(x > 0, x, 0.)       # a relu

    With the condition alone, return the places where it is true, as ``nonzero`` does.
    """
    if self is None and other is None:
        return condition.nonzero(as_tuple=True)
    if condition._array.dtype.kind != "b":
        raise RuntimeError("where expected condition to be a boolean tensor, but got a tensor with "
                           f"dtype {condition.dtype.short_name}")
    return choose_where(condition, self, other)


@dispatch
def clamp(self, min=None, max=None):
    """Return the numbers moved into [min, max]: two numbers or tensors; one may be left out."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    tensors = isinstance(min, Tensor) or isinstance(max, Tensor)
    return clamp_to_tensors if tensors else clamp_to_numbers, self, min, max


IN_PLACE = "eq ne lt le gt ge clamp "
METHODS = IN_PLACE + "isnan isinf isfinite isclose allclose equal maximum minimum"
FUNCTIONS_ONLY = "where"
OPERATORS = {
    "where": lambda self, condition, other: where(condition, self, other),      # another order
    "__eq__": _eq, "__ne__": _ne, "__lt__": _lt, "__le__": _le, "__gt__": _gt, "__ge__": _ge,
    "__and__": _and, "__rand__": _and, "__iand__": in_place(_and),
    "__or__": _or, "__ror__": _or, "__ior__": in_place(_or),
    "__xor__": _xor, "__rxor__": _xor, "__ixor__": in_place(_xor),
    "__invert__": exact("Bitwise_NotBackward0", _invert, flat)}
