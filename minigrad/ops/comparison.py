"""Questions asked of every element, whose answers are True or False, and choices made by them."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..autograd.grad_mode import local, no_grad
from ..autograd.inplace import in_place
from ..autograd.operations import ask_for_histories
from ..memory import cast_in_place, elementwise_layout
from ..messages import argument_must_be, broadcast_error, counts_arguments, invalid_combination
from ..tensor import Tensor, bump_version, wrap, wrap_new
from ..warn import warn
from .operands import alike

# --- comparing two numbers ----------------------------------------------------------------------------------


def comparison(name, compare):
    """The operation and the operator for a NumPy comparison.  Numbers are compared in their common dtype."""
    def operator(self, other):
        if type(self) is Tensor and type(other) is Tensor:
            a, b = self._array, other._array
            if a.dtype is not b.dtype:
                a, b = alike(a, b)
        elif isinstance(self, Tensor):
            if isinstance(other, Tensor):
                a, b = alike(self._array, other._array)
            elif isinstance(other, dtypes.NUMBERS):
                a, b = dtypes.with_number(self._array, other)
            elif name == "eq" and isinstance(other, np.ndarray):        # the one operator that takes an array
                a, b = alike(self._array, other)
            else:
                return NotImplemented
        elif local.state.pass_depth and not isinstance(other, Tensor):
            return compare(self, other)                 # a formula at work on arrays
        else:
            return NotImplemented
        try:
            out = np.asarray(compare(a, b))
            if out.ndim > 1:
                out = elementwise_layout(out, *[v._array for v in (self, other) if isinstance(v, Tensor)])
            return wrap_new(out)
        except ValueError:
            raise broadcast_error(a.shape, b.shape) from None

    @counts_arguments
    def function(self, other):
        refused = isinstance(self, Tensor) and isinstance(other, np.ndarray)
        result = NotImplemented if refused else operator(self, other)
        if result is NotImplemented:
            raise invalid_combination(name, ("Tensor other", "Number other"), self, other)
        return result

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Where {name} holds between self and other, broadcast; bool."
    return function, operator


eq, _eq = comparison("eq", np.equal)
ne, _ne = comparison("ne", np.not_equal)
lt, _lt = comparison("lt", np.less)
le, _le = comparison("le", np.less_equal)
gt, _gt = comparison("gt", np.greater)
ge, _ge = comparison("ge", np.greater_equal)


# --- choosing -----------------------------------------------------------------------------------------------

@differentiable("WhereBackward0",
                condition=None,
                self=lambda grad, condition: where(condition, grad, 0),
                other=lambda grad, condition: where(condition, 0, grad))
def _where(condition, self, other):
    if getattr(self, "dtype", None) is not getattr(other, "dtype", 0):
        kind = dtypes.result_dtype(self, other)
        self, other = as_kind(self, kind), as_kind(other, kind)
    result = np.where(condition, self, other)
    return elementwise_layout(result, condition, *[v for v in (self, other) if isinstance(v, np.ndarray)])


NOT_GIVEN = object()
OPERANDS = (Tensor, *dtypes.NUMBERS)


def as_kind(value, kind):
    return cast_in_place(value, kind) if isinstance(value, np.ndarray) else np.asarray(value, kind)


@counts_arguments
def where(condition, self=NOT_GIVEN, other=NOT_GIVEN):
    """Of each place the element of `self` where `condition` holds, else that of `other`; broadcast.

    With the condition alone, the indices of the places where it holds, a tensor for each dimension.
    Numbers count as tensors without dimensions.
    """
    if not isinstance(condition, Tensor):
        if local.state.pass_depth:                      # a formula at work on arrays
            if condition.dtype is not BOOL:             # a saved mask that a hook brought back as numbers
                condition = as_mask(wrap(np.asarray(condition)))._array
            return _where(condition, self, other)
        if self is NOT_GIVEN and other is NOT_GIVEN:
            raise argument_must_be("where", "condition", 0, condition)
        raise where_refuses(condition, self, other)
    if self is NOT_GIVEN and other is NOT_GIVEN:
        return condition.nonzero(as_tuple=True)
    if not isinstance(self, OPERANDS) or not isinstance(other, OPERANDS):
        raise where_refuses(condition, self, other)
    return _where(as_mask(condition), self, other)


BOOL = np.dtype(bool)


def as_mask(condition):
    """A condition as truth values; only bytes may stand for them."""
    if condition._array.dtype.kind == "b":
        return condition
    if condition.dtype is not dtypes.uint8:
        raise RuntimeError("where expected condition to be a boolean tensor, but got a tensor with dtype "
                           f"{dtypes.short_name(condition._array.dtype)}")
    warn("where received a uint8 condition tensor. This behavior is deprecated and will be removed in a "
         "future version of PyTorch. Use a boolean condition instead.")
    return condition.bool()


WHERE_SIGNATURES = (
    "Tensor condition", "Tensor condition, Tensor input, Tensor other, *, Tensor out = None",
    "Tensor condition, Number self, Tensor other", "Tensor condition, Tensor input, Number other",
    "Tensor condition, Number self, Number other")


def where_refuses(condition, self, other):
    given = [v for v in (self, other) if v is not NOT_GIVEN]
    return invalid_combination("where", WHERE_SIGNATURES, condition, *given, in_function=WHERE_SIGNATURES)


def _where_method(self, condition, other=None):
    """Of each place the element of self where `condition` holds, else that of `other`."""
    if not isinstance(condition, Tensor) or not isinstance(other, (Tensor, *dtypes.NUMBERS)):
        given = (condition,) if other is None else (condition, other)
        forms = "Tensor condition, Tensor other", "Tensor condition, Number other"
        raise invalid_combination("where", forms, self, *given)
    return where(condition, self, other)


# --- and, or, not -------------------------------------------------------------------------------------------

def logical(name, combine):
    """The operation for a NumPy function of truth values; any number but 0 counts as true."""
    @counts_arguments
    def function(self, other):
        if not isinstance(self, Tensor):
            if local.state.pass_depth:
                return combine(self, other)             # a formula at work on arrays
            raise argument_must_be(name, "input", 0, self)
        if not isinstance(other, Tensor):
            raise argument_must_be(name, "other", 1, other)
        try:
            a, b = self._array, other._array
            return wrap_new(elementwise_layout(np.asarray(combine(a, b)), a, b))
        except ValueError:
            raise broadcast_error(self._array.shape, other._array.shape) from None

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of self and other, broadcast; bool."
    return function


logical_and = logical("logical_and", np.logical_and)
logical_or = logical("logical_or", np.logical_or)
logical_xor = logical("logical_xor", np.logical_xor)


def question(name, ask, of_integers=None, computes=False):
    """A question about each element; `of_integers`: the answer for all integers, if there is only one.

    PyTorch records what some of them compute on the way, of floats: a stale view refuses that.
    """
    def answer(array):
        if of_integers is not None and array.dtype.kind != "f":
            out = np.full_like(array, of_integers, bool)
        else:
            out = np.asarray(ask(array))
        return elementwise_layout(out, array)

    def function(self):
        if isinstance(self, Tensor):
            if computes and self._view is not None:
                ask_for_histories((self,))
            return wrap_new(answer(self._array))
        if local.state.pass_depth:
            return answer(self)
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(self).__name__}")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of every element; bool."
    return function


logical_not = question("logical_not", np.logical_not)
isnan = question("isnan", np.isnan, False)
isinf = question("isinf", np.isinf, False)
isfinite = question("isfinite", np.isfinite, True, computes=True)
isposinf = question("isposinf", np.isposinf, False)
isneginf = question("isneginf", np.isneginf, False)
isreal = question("isreal", lambda array: np.ones_like(array, bool))


# --- how close two tensors are ------------------------------------------------------------------------------

@counts_arguments
def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Where abs(self - other) <= atol + rtol * abs(other); inf is close to inf, nan if `equal_nan`."""
    if not isinstance(other, Tensor):
        raise argument_must_be("isclose", "other", 1, other)
    a, b = self._array, other._array
    if a.dtype != b.dtype:
        raise RuntimeError(f"{dtypes.short_name(a.dtype)} did not match {dtypes.short_name(b.dtype)}")
    for name, value in (("rtol", rtol), ("atol", atol)):
        if value < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value:g}")
    try:
        close = np.asarray(local.state.quiet(_close, a, b, rtol, atol, equal_nan))
        result = wrap_new(elementwise_layout(close, a, b))
        if rtol or atol:
            ask_for_histories((other, self))        # PyTorch records what is computed on the way
    except ValueError:
        raise broadcast_error(a.shape, b.shape) from None
    for writes in (equal_nan and a.dtype.kind == "f", rtol or atol):
        if writes:
            bump_version(result)        # PyTorch writes what is nan, and what is close, into what is equal
    return result


def _close(a, b, rtol, atol, equal_nan):
    close = a == b
    if equal_nan and a.dtype.kind == "f":
        close |= np.isnan(a) & np.isnan(b)
    if rtol == 0 and atol == 0:
        return close
    if a.dtype.kind != "f":
        a, b = a.astype(dtypes.Default.numpy), b.astype(dtypes.Default.numpy)
    difference = np.abs(a - b)
    return close | (np.isfinite(difference) & (difference <= atol + np.abs(rtol * b)))


@counts_arguments
def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> bool:
    """Whether all elements are close, see ``isclose``."""
    if not isinstance(other, Tensor):
        raise argument_must_be("allclose", "other", 1, other)
    with no_grad():
        return bool(isclose(self, other, rtol, atol, equal_nan)._array.all())


@counts_arguments
def equal(self, other) -> bool:
    """Whether two tensors have the same shape and the same elements."""
    if not isinstance(self, Tensor):
        raise argument_must_be("equal", "input", 0, self)
    if not isinstance(other, Tensor):
        raise argument_must_be("equal", "other", 1, other)
    a, b = self._array, other._array
    return a.shape == b.shape and bool((a == b).all())


def isin(elements, test_elements, *, assume_unique=False, invert=False):
    """Where an element is one of `test_elements`."""
    arrays = [np.asarray(v) if isinstance(v, dtypes.NUMBERS) else v._array for v in (elements, test_elements)]
    return wrap_new(np.asarray(np.isin(*arrays, invert=invert)))


def is_nonzero(self) -> bool:
    """Whether the one element of self is not 0."""
    return bool(self)


# --- writing the answers over self --------------------------------------------------------------------------

def overwriting(name, compare):
    """The in-place form of a comparison: 1 and 0 in place of the elements; its gradient is 0."""
    title = name.capitalize()

    @differentiable(f"{title}Backward0", self=lambda grad: elementwise.zeros_like(grad))
    def _with_number(self, other):
        return compare(*dtypes.with_number(self, other))

    @differentiable(f"{title}Backward1",
                    self=lambda grad: elementwise.zeros_like(grad),
                    other=lambda grad: elementwise.zeros_like(grad))
    def _with_tensor(self, other):
        return compare(self, other)

    of_number, of_tensor = in_place(_with_number), in_place(_with_tensor)

    def write(self, other):
        if isinstance(other, Tensor):
            return of_tensor(self, other)
        if not isinstance(other, dtypes.NUMBERS):
            raise invalid_combination(f"{name}_", ("Tensor other", "Number other"), self, other)
        return of_number(self, other)

    write.__name__ = write.__qualname__ = f"{name}_"
    write.__doc__ = f"Write over self where {name} holds between self and other."
    return write


eq_, ne_, lt_ = overwriting("eq", np.equal), overwriting("ne", np.not_equal), overwriting("lt", np.less)
le_, gt_ = overwriting("le", np.less_equal), overwriting("gt", np.greater)
ge_ = overwriting("ge", np.greater_equal)


def overwriting_logical(function):
    """The in-place form of a logical function, which is never recorded."""
    def write(self, *other):
        with no_grad():
            return self.copy_(function(self, *other))
    write.__name__ = write.__qualname__ = f"{function.__name__}_"
    write.__doc__ = f"`{function.__name__}`, written over self."
    return write


logical_and_, logical_or_ = overwriting_logical(logical_and), overwriting_logical(logical_or)
logical_xor_, logical_not_ = overwriting_logical(logical_xor), overwriting_logical(logical_not)

less, less_equal, greater, greater_equal, not_equal = lt, le, gt, ge, ne
less_, less_equal_, greater_, greater_equal_, not_equal_ = lt_, le_, gt_, ge_, ne_

METHODS = ("eq ne lt le gt ge less less_equal greater greater_equal not_equal logical_and logical_or "
           "logical_xor logical_not isnan isinf isfinite isposinf isneginf isreal isclose allclose equal "
           "is_nonzero")
METHODS_ONLY = ("eq_ ne_ lt_ le_ gt_ ge_ less_ less_equal_ greater_ greater_equal_ not_equal_ logical_and_ "
                "logical_or_ logical_xor_ logical_not_")
FUNCTIONS_ONLY = "where isin"
OPERATORS = {"__eq__": _eq, "__ne__": _ne, "__lt__": _lt, "__le__": _le, "__gt__": _gt, "__ge__": _ge,
             "where": _where_method}

from . import elementwise  # noqa: E402   for the formulas
