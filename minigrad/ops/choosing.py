"""Choices between numbers, element by element: where, maximum, minimum, clamp.

The number that was chosen receives the gradient, the other one 0.
"""
import operator

import numpy as np

from ..dtypes import NUMBERS, in_result_dtype
from ..tensor import Tensor
from .declaring import declare, divided, expect_tensors, with_in_place_form, wrong_type


def _choose(condition, self, other):
    return np.where(condition, *in_result_dtype(self, other))


def _fill_with_zero(mask, self):
    return np.where(mask, self.dtype.type(0), self)


choose_where = declare(
    "WhereBackward0", _choose,
    self=lambda grad, condition: choose_where(condition, grad, 0),
    other=lambda grad, condition: choose_where(condition, 0, grad), condition=None)
zero_where = declare(
    "MaskedFillBackward0", _fill_with_zero,
    self=lambda grad, mask: zero_where(mask, grad), mask=None)


def where(condition, self=None, other=None):
    """Return self where the condition is true and other elsewhere; all three broadcast.

        torch.where(x > 0, x, 0.)       # a relu

    With the condition alone, return the places where it is true, as ``nonzero`` does.
    Raises TypeError for anything but tensors and numbers, RuntimeError for a condition
    that is not of bools.
    """
    if not isinstance(condition, Tensor):
        raise wrong_type("where", "condition", condition)
    if self is None and other is None:
        return condition.nonzero(as_tuple=True)
    for name, value in (("input", self), ("other", other)):
        if not isinstance(value, (Tensor, *NUMBERS)):
            raise wrong_type("where", name, value, "Tensor or Number")
    if condition._array.dtype.kind != "b":
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with "
            f"dtype {condition.dtype.short_name}")
    return choose_where(condition, self, other)


def extreme_of_two(name, ufunc, loses):
    """Declare maximum or minimum, in which two equal numbers share the gradient."""
    def share_gradient(grad, self, other):
        shared = choose_where(self == other, divided(grad, 2), grad)
        return zero_where(loses(self, other), shared)

    operation = declare(
        f"{name.title()}Backward0", ufunc, self=share_gradient,
        other=lambda grad, self, other: share_gradient(grad, other, self))

    def function(self, other):
        """Return the larger (smaller) of each two numbers; nan if one is."""
        expect_tensors(name, input=self, other=other)
        return operation(self, other)

    return function


maximum = extreme_of_two("maximum", np.maximum, loses=operator.lt)
minimum = extreme_of_two("minimum", np.minimum, loses=operator.gt)


def _clamp(self, min, max):
    given = [value for value in (self, min, max) if value is not None]
    self, *bounds = in_result_dtype(*given)
    if min is not None:
        self = np.maximum(bounds[0], self)
    if max is not None:
        self = np.minimum(bounds[-1], self)
    return self


# Which bound was the result decides where the gradient goes; it is 0 elsewhere.

def gradient_of_number(grad, self, min, max):
    above = True if min is None else self >= min
    inside = above if max is None else above & (self <= max)
    return choose_where(inside, grad, 0)


def gradient_of_min(grad, self, min, max):
    below = self < min
    if max is not None:
        below = below & (min < max)
    return choose_where(below, grad, 0)


def gradient_of_max(grad, self, min, max):
    above = self > max
    if min is not None:
        above = above | (max < min)
    return choose_where(above, grad, 0)


clamp_to_numbers = declare("ClampBackward1", _clamp, self=gradient_of_number)
clamp_to_tensors = declare(
    "ClampBackward0", _clamp,
    self=gradient_of_number, min=gradient_of_min, max=gradient_of_max)


@with_in_place_form
def clamp(self, min=None, max=None):
    """Return the numbers moved into [min, max]; one of the bounds may be None.

        torch.tensor([-1., 0.5, 2.]).clamp(0, 1)    # tensor([0.0000, 0.5000, 1.0000])

    Bounds are numbers or tensors.  Raises RuntimeError without any, TypeError for other
    types and for one of each.
    """
    bounds = [bound for bound in (min, max) if bound is not None]
    if not bounds:
        raise RuntimeError(
            "torch.clamp: At least one of 'min' or 'max' must not be None")
    if all([isinstance(bound, Tensor) for bound in bounds]):
        return clamp_to_tensors, self, min, max
    if all([isinstance(bound, NUMBERS) for bound in bounds]):
        return clamp_to_numbers, self, min, max
    raise TypeError("clamp(): the bounds must be two tensors or two numbers")


def where_of_self(self, condition, other):
    """Return self where the condition is true, and other elsewhere."""
    return where(condition, self, other)


where_of_self.__name__ = where_of_self.__qualname__ = "where"

IN_PLACE = "clamp"
METHODS = "clamp maximum minimum"
FUNCTIONS_ONLY = "where"
ATTRIBUTES = {"where": where_of_self}
