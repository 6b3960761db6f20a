"""Operations on each element by itself: arithmetic, functions, comparisons, choices, bits.

A line of a table holds all there is to know of an operation: the node that it leaves, what NumPy computes, and the
gradient of each input.
"""
from __future__ import annotations

import math

import numpy as np

from .. import dtypes
from ..autograd.accumulate import NO_EDGE
from ..autograd.differentiable import OperationNode, differentiable
from ..autograd.grad_mode import no_grad
from ..autograd.inplace import check_in_place, in_place, store
from ..autograd.saved import SavedArray
from ..errors import broadcast_error, not_implemented_for, type_name, whole_number
from ..state import local
from ..tensor import Tensor, bump_version, wrap, wrap_new

NUMBERS, OPERANDS = dtypes.NUMBERS, (Tensor, *dtypes.NUMBERS)


# --- how the lines of the tables are read -------------------------------------------------------------------

def unary(node, compute, gradient, whole="as floats", kernel=None):
    """An operation on one tensor.  `whole`: what becomes of whole numbers, "as floats" or "kept"; with a `kernel`
    booleans are refused in its name."""
    def forward(self):
        if kernel and self.dtype.kind == "b":
            raise not_implemented_for(kernel, self.dtype)
        return compute(self if self.dtype.kind == "f" or whole == "kept" else self.astype(dtypes.Default.numpy))
    forward.__name__ = node.removesuffix("0").removesuffix("Backward").lower()
    return differentiable(node, self=gradient)(forward)


def binary(node, compute, **gradients):
    """An operation on two tensors, or on a tensor and a number."""
    def forward(self, other):
        return compute(self, other)
    forward.__name__ = "_" + node.removesuffix("0").removesuffix("Backward").lower()
    return differentiable(node, **gradients)(forward)


def wrong(name, argument, position, value):
    """The error of an operand that is neither a tensor nor a number; a function counts `self` as well."""
    def text(position):
        what = "Tensor" if position or argument != "input" else "Tensor"
        return f"{name}(): argument '{argument}' (position {position}) must be {what}, not {type_name(value)}"
    error = TypeError(text(position))
    error.in_function = text(position + 1)
    return error


def check_operands(name, self, other):
    """Return two operands of which at least one is a tensor; two numbers make one."""
    if not isinstance(self, OPERANDS):
        raise wrong(name, "input", 0, self)
    if not isinstance(other, OPERANDS):
        raise wrong(name, "other", 1, other)
    if not isinstance(self, Tensor) and not isinstance(other, Tensor):
        self = wrap(np.asarray(self, dtypes.of_number(self)))
    return self, other


def as_tensors(self, other, name):
    """The same, with a number as an array of its dtype beside the tensor."""
    self, other = check_operands(name, self, other)
    return number_beside(self, other), number_beside(other, self)


def number_beside(value, tensor):
    if isinstance(value, Tensor):
        return value
    return SavedArray(dtypes.number_array(value, dtypes.promote_number(tensor._array.dtype, value)), value)


def alike(*arrays):
    """Arrays in their common dtype."""
    if all([a.dtype is arrays[0].dtype for a in arrays]):
        return arrays
    common = dtypes.result_dtype(*arrays)
    return [a.astype(common, copy=False) for a in arrays]


def float_only(array, kernel):
    if array.dtype.kind != "f":
        raise not_implemented_for(kernel, array.dtype)


def not_bool(array, kernel):
    if array.dtype.kind == "b":
        raise not_implemented_for(kernel, array.dtype)
    return array


def operator(function):
    """The operator of a function: Python asks the other operand if this one is strange."""
    def call(self, other):
        return function(self, other) if isinstance(other, OPERANDS) else NotImplemented
    return call


def not_differentiable(name, *tensors, **others):
    """Mark an operation that has no derivative in PyTorch: a backward pass that arrives there fails."""
    def formula(grad):
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    def decorate(forward):
        function = differentiable("NotImplemented", **dict.fromkeys(tensors, formula), **others)(forward)
        always = function.operation.plan(*[True] * len(tensors))
        function.operation.plan = lambda *needed: always        # it fails wherever gradients would go
        node_type = function.operation.node_type
        node_type.name = lambda node: "torch::autograd::NotImplemented"
        node_type.__init__ = without_loose_ends
        return function
    return decorate


def without_loose_ends(node, edges, result):
    OperationNode.__init__(node, tuple([edge for edge in edges if edge is not NO_EDGE]), result)
    node.sequence_nr = float("inf")         # it runs, and fails, as soon as it is ready


def zeros_like(grad):
    """The gradient of a function made of flat pieces."""
    return wrap(np.zeros_like(grad._array)) if isinstance(grad, Tensor) else np.zeros(grad.shape, grad.dtype)


def flat(grad):
    return zeros_like(grad)


# --- functions of one number --------------------------------------------------------------------------------

def _sign(self):
    sign = np.sign(self) if self.dtype.kind != "b" else self.copy()
    return np.where(np.isnan(sign), np.zeros((), sign.dtype), sign) if sign.dtype.kind == "f" else sign


def _negative(self):
    if self.dtype.kind == "b":
        raise RuntimeError("Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
                           "invert a mask, use the `~` or `logical_not()` operator instead.")
    return -self


def _relu(self):
    if self.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    return np.maximum(self.dtype.type(0), self)         # in this order -0. stays, as in PyTorch


def rint(self):
    return np.rint(self) if self.dtype.kind == "f" else self.copy()


# name             node that it leaves          computed by        gradient
exp        = unary("ExpBackward0",        np.exp,        lambda grad, result: grad * result)
exp2       = unary("Exp2Backward0",       np.exp2,       lambda grad, result: grad * result * math.log(2))
expm1      = unary("Expm1Backward0",      np.expm1,      lambda grad, result: grad * (result + 1))
log        = unary("LogBackward0",        np.log,        lambda grad, self: grad / self)
log2       = unary("Log2Backward0",       np.log2,       lambda grad, self: grad / (self * math.log(2)))
log10      = unary("Log10Backward0",      np.log10,      lambda grad, self: grad / (self * 2.3025850929940455))
log1p      = unary("Log1PBackward0",      np.log1p,      lambda grad, self: grad / (self + 1))
sqrt       = unary("SqrtBackward0",       np.sqrt,       lambda grad, result: grad / (2 * result))
rsqrt      = unary("RsqrtBackward0",      lambda x: 1 / np.sqrt(x), lambda grad, result: -0.5 * grad * pow(result, 3))
reciprocal = unary("ReciprocalBackward0", np.reciprocal, lambda grad, result: -grad * (result * result))
sin        = unary("SinBackward0",        np.sin,        lambda grad, self: grad * cos(self))
cos        = unary("CosBackward0",        np.cos,        lambda grad, self: grad * -sin(self))
tan        = unary("TanBackward0",        np.tan,        lambda grad, result: grad * (1 + pow(result, 2)))
asin       = unary("AsinBackward0",       np.arcsin,     lambda grad, self: grad * rsqrt(-self * self + 1))
acos       = unary("AcosBackward0",       np.arccos,     lambda grad, self: grad * -rsqrt(-self * self + 1))
atan       = unary("AtanBackward0",       np.arctan,     lambda grad, self: grad / (self * self + 1))
sinh       = unary("SinhBackward0",       np.sinh,       lambda grad, self: grad * cosh(self))
cosh       = unary("CoshBackward0",       np.cosh,       lambda grad, self: grad * sinh(self))
tanh       = unary("TanhBackward0",       np.tanh,       lambda grad, result: tanh_backward(grad, result))
sigmoid    = unary("SigmoidBackward0",    lambda x: 1 / (1 + np.exp(-x)),
                   lambda grad, result: sigmoid_backward(grad, result))
relu       = unary("ReluBackward0",       _relu,         lambda grad, result: threshold_backward(grad, result, 0), "kept")
neg        = unary("NegBackward0",        _negative,     lambda grad: -grad, "kept")
abs        = unary("AbsBackward0",        np.abs,        lambda grad, self: grad * sgn(self), "kept", "abs_cpu")
sign       = unary("SignBackward0",       _sign,         flat, "kept")
sgn        = unary("SgnBackward0",        _sign,         lambda grad, self, result: zeros_like(grad), "kept")
floor      = unary("FloorBackward0",      np.floor,      flat, "kept", "floor_vml_cpu")
ceil       = unary("CeilBackward0",       np.ceil,       flat, "kept", "ceil_vml_cpu")
trunc      = unary("TruncBackward0",      np.trunc,      flat, "kept", "trunc_vml_cpu")
_round     = unary("RoundBackward0",      rint,          flat, "kept", "round_vml_cpu")
_clone     = unary("CloneBackward0",      lambda x: x.copy("K"), lambda grad: grad, "kept")


# their gradients, where PyTorch has a node of its own for them
@differentiable("TanhBackwardBackward0",
                grad_output=lambda grad, output: tanh_backward(grad, output),
                output=lambda grad, grad_output, output: grad * (-2 * output * grad_output))
def tanh_backward(grad_output, output):
    return grad_output * (1 - output * output)


@differentiable("SigmoidBackwardBackward0",
                grad_output=lambda grad, output: sigmoid_backward(grad, output),
                output=lambda grad, grad_output, output: grad * grad_output * (-2 * output + 1))
def sigmoid_backward(grad_output, output):
    return grad_output * (1 - output) * output


@differentiable("ThresholdBackwardBackward0",
                grad_output=lambda grad, self, threshold: threshold_backward(grad, self, threshold),
                self=flat)
def threshold_backward(grad_output, self, threshold):
    return np.where(self <= threshold, grad_output.dtype.type(0), grad_output)


@differentiable("RoundBackward1", self=lambda grad: zeros_like(grad))
def _round_decimals(self, decimals):
    float_only(self, "round_cpu" if decimals else "round_vml_cpu")
    scale = self.dtype.type(10.0 ** np.abs(decimals))
    return np.rint(self * scale) / scale if decimals >= 0 else np.rint(self / scale) * scale


def round(self, *, decimals=None):
    """To the nearest whole number, halves to the even one; or to so many digits behind the point."""
    return _round(self) if decimals is None else _round_decimals(self, whole_number(decimals))


def clone(self, *, memory_format=None):
    """A copy; the gradient passes through."""
    return _clone(self)


# --- arithmetic ---------------------------------------------------------------------------------------------

def _refuse_bool(self, other):
    are_bool = [v is True or v is False or getattr(v, "dtype", None) == np.bool_ for v in (self, other)]
    if all(are_bool):
        raise RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                           "`logical_xor()` operator instead.")
    if any(are_bool) and self is not None and other is not None and not isinstance(other, str):
        raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                           "invert a mask, use the `~` or `logical_not()` operator instead.")


def _true_divide(a, b):
    if a.dtype.kind != "f":
        a, b = a.astype(dtypes.Default.numpy), b.astype(dtypes.Default.numpy)
    return a / b


def _minus(a, b):
    if a.dtype.kind == "b":         # both are, or they would have been refused
        _refuse_bool(a, b)
    return a - b


_add = binary("AddBackward0", lambda a, b: a + b,
              self=lambda grad: grad,
              other=lambda grad: grad)
_sub = binary("SubBackward0", _minus,
              self=lambda grad: grad,
              other=lambda grad: -grad)
_mul = binary("MulBackward0", lambda a, b: a * b,
              self=lambda grad, other: grad * other,
              other=lambda grad, self: grad * self)
_div = binary("DivBackward0", _true_divide,
              self=lambda grad, other: grad / other,
              other=lambda grad, self, other: -grad * ((self / other) / other))
_maximum = binary("MaximumBackward0", np.maximum,
                  self=lambda grad, self, other: masked_zero(_halved(grad, self, other), self < other),
                  other=lambda grad, self, other: masked_zero(_halved(grad, self, other), self > other))
_minimum = binary("MinimumBackward0", np.minimum,
                  self=lambda grad, self, other: masked_zero(_halved(grad, self, other), self > other),
                  other=lambda grad, self, other: masked_zero(_halved(grad, self, other), self < other))
_sub.operation.refuse = _refuse_bool


def with_number(node, compute, gradient):
    """What a formula records in place of an operation when a tensor meets a plain number."""
    def forward(self, other):
        array = self if self.dtype.kind == "f" or isinstance(other, int) else self.astype(dtypes.Default.numpy)
        return compute(array, other)
    return differentiable(node, self=gradient)(forward)


_add.operation.with_number = with_number("AddBackward1", lambda a, n: a + n, lambda grad: grad)
_sub.operation.with_number = with_number("SubBackward1", lambda a, n: a - n, lambda grad: grad)
_mul.operation.with_number = with_number("MulBackward1", lambda a, n: a * n, lambda grad, other: grad * other)
_div.operation.with_number = with_number("DivBackward1", lambda a, n: a / n, lambda grad, other: grad / other)
_add.operation.node_type._saved_alpha = _sub.operation.node_type._saved_alpha = 1      # as PyTorch shows it


def _halved(grad, self, other):
    """Equal ones share the gradient."""
    return where(self == other, grad / 2, grad)


@differentiable("MaskedFillBackward0", self=lambda grad, mask: masked_zero(grad, mask), mask=None)
def masked_zero(self, mask):
    """0 where the mask holds."""
    return np.where(mask, self.dtype.type(0), self)


def times(x, number):
    return x if number == 1 else x * number


@differentiable("AddBackward0", self=lambda grad, alpha: grad, other=lambda grad, alpha: times(grad, alpha))
def _add_scaled(self, other, alpha):
    a, b = alike(self, other)
    return a + b * np.asarray(alpha, b.dtype)


@differentiable("SubBackward0", self=lambda grad, alpha: grad, other=lambda grad, alpha: times(-grad, alpha))
def _sub_scaled(self, other, alpha):
    a, b = alike(self, other)
    return a - b * np.asarray(alpha, b.dtype)


@differentiable("RsubBackward1", self=lambda grad: -grad)
def _rsub_number(self, number):
    _refuse_bool(self, number)
    array, number = dtypes.with_number(self, number)
    return number - array


@differentiable("DivBackward2",
                self=lambda grad, other, rounding_mode: zeros_like(grad) if rounding_mode else grad / other,
                other=lambda grad, self, other, rounding_mode: (
                    zeros_like(grad) if rounding_mode else -grad * ((self / other) / other)))
def _div_rounded(self, other, rounding_mode):
    a, b = alike(self, other)
    return _true_divide(a, b) if rounding_mode is None else (_floor if rounding_mode == "floor" else _trunc)(a, b)


def _floor(a, b):
    _check_divisor(a, b, "div_floor_cpu")
    return np.floor_divide(a, b)


def _trunc(a, b):
    _check_divisor(a, b, "div_trunc_cpu")
    quotient = np.floor_divide(a, b)
    return np.trunc(a / b) if a.dtype.kind == "f" else quotient + ((quotient < 0) & (quotient * b != a))


def _check_divisor(a, b, kernel):
    not_bool(a, kernel)
    if a.dtype.kind != "f" and a.size and not np.all(b):
        raise RuntimeError("ZeroDivisionError")


@not_differentiable("floor_divide", "self", "other")
def _floor_divide(self, other):
    return _floor(*alike(self, other))


@differentiable("RemainderBackward1",
                self=lambda grad: grad,
                other=lambda grad, self, other: -grad * _div_rounded(self, other, "floor"))
def _remainder(self, other):
    a, b = alike(self, other)
    _check_divisor(a, b, "remainder_cpu")
    return np.remainder(a, b)


@differentiable("RemainderBackward0", self=lambda grad: grad)
def _remainder_number(self, other):
    return _remainder.operation.forward(*dtypes.with_number(self, other))


def scaled(name, plain, with_alpha):
    def function(self, other, *, alpha=1):
        if alpha == 1 and alpha is not True:
            return plain(*check_operands(name, self, other))
        if not isinstance(alpha, NUMBERS):
            raise TypeError(f"{name}(): argument 'alpha' must be Number, not {type(alpha).__name__}")
        self, other = as_tensors(self, other, name)
        kind = dtypes.result_dtype(self._array, other._array).kind
        if isinstance(alpha, float) and kind != "f":
            raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
        if isinstance(alpha, bool) and kind != "b":
            raise RuntimeError("Boolean alpha only supported for Boolean results.")
        return with_alpha(self, other, alpha)
    function.__name__ = function.__qualname__ = name
    return function


_write_add, _write_sub, _write_mul, _write_div = map(in_place, (_add, _sub, _mul, _div))
add, add_ = scaled("add", _add, _add_scaled), scaled("add_", _write_add, in_place(_add_scaled))
sub, sub_ = scaled("sub", _sub, _sub_scaled), scaled("sub_", _write_sub, in_place(_sub_scaled))


def rsub(self, other, *, alpha=1):
    """other - alpha * self."""
    return _sub(other, self * alpha) if isinstance(other, Tensor) or alpha != 1 else _rsub_number(self, other)


def mul(self, other):
    """self * other, broadcast."""
    return _mul(*check_operands("mul", self, other))


def mul_(self, other):
    """self *= other."""
    return _write_mul(*check_operands("mul_", self, other))


UNSAID = object()       # `rounding_mode=None` said aloud leaves another node in PyTorch's graph


def divides(name, plain, rounded):
    def function(self, other, *, rounding_mode=UNSAID):
        if rounding_mode is UNSAID:
            return plain(*check_operands(name, self, other))
        if rounding_mode not in ("trunc", "floor", None):
            raise RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
                               f"'{rounding_mode}'")
        return rounded(*as_tensors(self, other, name), rounding_mode)
    function.__name__ = function.__qualname__ = name
    return function


div, div_ = divides("div", _div, _div_rounded), divides("div_", _write_div, in_place(_div_rounded))


def floor_divide(self, other):
    """self / other rounded down; the result has no derivative."""
    return _floor_divide(*check_operands("floor_divide", self, other))


def remainder(self, other):
    """What is left of self after dividing it by other: has the sign of other, as Python's ``%``."""
    if isinstance(other, NUMBERS):
        return _remainder_number(self, other)
    return _remainder(*check_operands("remainder", self, other))


def maximum(self, other):
    """The larger of each two numbers, nan if one is."""
    return _maximum(self, other)


def minimum(self, other):
    """The smaller of each two numbers, nan if one is."""
    return _minimum(self, other)


def _reflected_div(self, other):
    return reciprocal(self) * other if isinstance(other, (*OPERANDS, np.ndarray)) else NotImplemented


# --- powers -------------------------------------------------------------------------------------------------

_QUICK = {2: lambda x: x * x, 1: lambda x: x.copy("K"), 3: lambda x: x * x * x, 0.5: np.sqrt, -1: np.reciprocal}


def _power(base, exponent):
    if base.dtype.kind == "f":
        return np.power(base, exponent)
    not_bool(base, "pow")
    # of integers to negative powers, only those of 1 and -1 are integers; PyTorch gives 0 for the others
    inverse = np.where(base == 1, 1, np.where(base == -1, 1 - 2 * (exponent & 1), 0))
    return np.where(exponent < 0, inverse, np.power(base, np.maximum(exponent, 0))).astype(base.dtype)


@differentiable("PowBackward0", self=lambda grad, self, exponent: (
    zeros_like(grad) if exponent == 0 else grad * (float(exponent) * pow(self, float(exponent) - 1))))
def _pow_number(self, exponent):
    array, number = dtypes.with_number(self, exponent)
    if array.dtype.kind == "f":
        return _QUICK[exponent](array) if exponent in _QUICK else np.power(array, number)
    if exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return np.power(not_bool(array, "pow"), number)


@differentiable("PowBackward1",
                self=lambda grad, self, exponent: (
                    where(exponent == 0.0, 0.0, grad * (exponent * _pow(self, exponent - 1)))),
                exponent=lambda grad, self, exponent, result: (     # 0 ** y is constant in y, though log(0) is not finite
                    grad * where(logical_and(self == 0, exponent >= 0), 0.0, result * log(self))))
def _pow(self, exponent):
    return _power(*alike(self, exponent))


@differentiable("PowBackward2", exponent=lambda grad, self, exponent, result: (
    grad * where(exponent >= 0, 0.0, result * -math.inf) if self == 0 else
    grad * (result * (math.log(self) if self > 0 else math.nan))))
def _number_pow(self, exponent):
    array, number = dtypes.with_number(exponent, self)
    return np.asarray(_power(number, array))


def pow(self, exponent):
    """self ** exponent, broadcast; either may be a number."""
    if isinstance(exponent, Tensor):
        return _pow(self, exponent) if isinstance(self, Tensor) else _number_pow(self, exponent)
    return _pow_number(self, exponent) if isinstance(exponent, NUMBERS) else _pow(self, exponent)


def square(self):
    """self ** 2."""
    return pow(self, 2)


_write_pow, _write_pow_number = in_place(_pow), in_place(_pow_number)


def pow_(self, exponent):
    """self **= exponent."""
    return (_write_pow if isinstance(exponent, Tensor) else _write_pow_number)(self, exponent)


# --- bounds -------------------------------------------------------------------------------------------------

def _inside(self, min, max):
    above, below = min is None or self >= min, max is None or self <= max
    return below if min is None else above if max is None else logical_and(above, below)


def _limited(self, min, max):
    self = self if min is None else np.maximum(min, self)       # in this order -0. stays, as in PyTorch
    return self if max is None else np.minimum(max, self)


@differentiable("ClampBackward1", self=lambda grad, self, min, max: where(_inside(self, min, max), grad, 0.0))
def _clamp(self, min, max):
    kind = dtypes.result_dtype(self, *[v for v in (min, max) if v is not None])
    bounds = [v if v is None else dtypes.number_array(v, kind) for v in (min, max)]
    return _limited(self.astype(kind, copy=False), *bounds)


@differentiable("ClampBackward0",
                self=lambda grad, self, min, max: where(_inside(self, min, max), grad, 0.0),
                min=lambda grad, self, min, max: where(self < min, grad, 0.0),
                max=lambda grad, self, min, max: where(self > max, grad, 0.0))
def _clamp_tensors(self, min, max):
    given = alike(*[v for v in (self, min, max) if v is not None])
    return _limited(given[0], None if min is None else given[1], None if max is None else given[-1])


def clamps(of_numbers, of_tensors):
    def clamp(self, min=None, max=None):
        """Every element moved into [min, max]; the gradient passes where it was inside, the bounds included."""
        if min is None and max is None:
            raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
        tensors = isinstance(min, Tensor) or isinstance(max, Tensor)
        return (of_tensors if tensors else of_numbers)(self, min, max)
    return clamp


clamp, clamp_ = clamps(_clamp, _clamp_tensors), clamps(in_place(_clamp), in_place(_clamp_tensors))


# --- questions and choices ----------------------------------------------------------------------------------

def compared(name, compare, reads="operator"):
    """A comparison, or a logical function, as a function and as an operator."""
    def operator(self, other):
        if local.state.pass_depth and not isinstance(self, Tensor) and not isinstance(other, Tensor):
            return compare(self, other)                 # a formula at work on arrays
        if not isinstance(self, Tensor):
            return NotImplemented
        if isinstance(other, Tensor):
            a, b = alike(self._array, other._array)
        elif isinstance(other, NUMBERS):
            a, b = dtypes.with_number(self._array, other)
        elif name == "eq" and isinstance(other, np.ndarray):        # the one operator that takes an array
            a, b = alike(self._array, other)
        else:
            return NotImplemented
        refusal = a.shape != b.shape and broadcast_error(a.shape, b.shape)
        if refusal:
            raise refusal
        return wrap_new(np.asarray(compare(a, b)))

    def function(self, other):
        result = operator(self, other)
        if result is NotImplemented:
            raise wrong(name, "other", 1, other)
        return result

    def write(self, other):
        with no_grad():
            return self.copy_(function(self, other))
    function.__name__ = function.__qualname__ = name
    write.__name__ = write.__qualname__ = name + "_"
    return function, write, operator


eq, eq_, _eq = compared("eq", np.equal)
ne, ne_, _ne = compared("ne", np.not_equal)
lt, lt_, _lt = compared("lt", np.less)
le, le_, _le = compared("le", np.less_equal)
gt, gt_, _gt = compared("gt", np.greater)
ge, ge_, _ge = compared("ge", np.greater_equal)
logical_and, logical_and_, _ = compared("logical_and", np.logical_and)
logical_or, logical_or_, _ = compared("logical_or", np.logical_or)
logical_xor, logical_xor_, _ = compared("logical_xor", np.logical_xor)


def asks(name, ask):
    def function(self):
        if isinstance(self, Tensor):
            return wrap_new(np.asarray(ask(self._array)))
        if local.state.pass_depth:
            return ask(self)
        raise wrong(name, "input", 0, self)
    function.__name__ = function.__qualname__ = name
    return function


logical_not, isnan = asks("logical_not", np.logical_not), asks("isnan", np.isnan)
isinf, isfinite = asks("isinf", np.isinf), asks("isfinite", np.isfinite)


@differentiable("WhereBackward0",
                condition=None,
                self=lambda grad, condition: where(condition, grad, 0),
                other=lambda grad, condition: where(condition, 0, grad))
def _where(condition, self, other):
    kind = dtypes.result_dtype(self, other)
    return np.where(condition, np.asarray(self, kind), np.asarray(other, kind))


NOT_GIVEN = object()


def where(condition, self=NOT_GIVEN, other=NOT_GIVEN):
    """Of each place the element of `self` where `condition` holds, else that of `other`; broadcast."""
    if not isinstance(condition, Tensor):
        if local.state.pass_depth:                      # a formula at work on arrays
            return _where(condition, self, other)
        raise wrong("where", "condition", 0, condition)
    if self is NOT_GIVEN and other is NOT_GIVEN:
        return condition.nonzero(as_tuple=True)
    if condition.dtype is not dtypes.BY_NUMPY[dtypes.BOOL]:
        raise RuntimeError("where expected condition to be a boolean tensor, but got a tensor with dtype "
                           f"{dtypes.short_name(condition._array.dtype)}")
    return _where(condition, self, other)


def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Where abs(self - other) <= atol + rtol * abs(other)."""
    a, b = self._array, other._array
    if a.dtype != b.dtype:
        raise RuntimeError(f"{dtypes.short_name(a.dtype)} did not match {dtypes.short_name(b.dtype)}")
    return wrap_new(np.asarray(local.state.quiet(np.isclose, a, b, rtol, atol, equal_nan)))


def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> bool:
    """Whether all elements are close, see ``isclose``."""
    return bool(isclose(self, other, rtol, atol, equal_nan)._array.all())


def equal(self, other) -> bool:
    """Whether two tensors have the same shape and the same elements."""
    a, b = self._array, other._array
    return a.shape == b.shape and bool((a == b).all())


# --- bits ---------------------------------------------------------------------------------------------------

def bitwise(name, combine):
    def compute(self, other):
        a, b = alike(self._array, other._array) if isinstance(other, Tensor) else dtypes.with_number(self._array, other)
        if a.dtype.kind == "f":
            raise not_implemented_for(f"{name}_cpu", a.dtype)
        return np.asarray(combine(a, b))

    def function(self, other):
        return wrap_new(compute(self, other))

    def write(self, other):
        check_in_place(self, local.state.recording and self.requires_grad)
        store(self, compute(self, other))
        bump_version(self)
        return self
    function.__name__, write.__name__ = name, name + "_"
    return function, write


bitwise_and, bitwise_and_ = bitwise("bitwise_and", np.bitwise_and)
bitwise_or, bitwise_or_ = bitwise("bitwise_or", np.bitwise_or)
bitwise_xor, bitwise_xor_ = bitwise("bitwise_xor", np.bitwise_xor)


def bitwise_not(self):
    """Every bit turned over; of booleans, not."""
    if self._array.dtype.kind == "f":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return wrap_new(np.asarray(np.invert(self._array)))


relu_, sigmoid_ = in_place(relu), in_place(sigmoid)


def floating(self):
    return self if self.dtype.kind == "f" else self.astype(dtypes.Default.numpy)


# --- what is offered ----------------------------------------------------------------------------------------

subtract, multiply, divide, true_divide, negative, absolute, clip = sub, mul, div, div, neg, abs, clamp
IN_PLACE = """
exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal sin cos tan asin acos atan sinh cosh tanh sigmoid relu neg
negative abs absolute sign sgn floor ceil trunc
"""
METHODS = IN_PLACE + """
round clone add sub mul div subtract multiply divide true_divide floor_divide remainder maximum minimum pow square
clamp clip eq ne lt le gt ge logical_and logical_or logical_xor logical_not isnan isinf isfinite isclose allclose equal
bitwise_and bitwise_or bitwise_xor bitwise_not
"""
METHODS_ONLY = """
add_ sub_ mul_ div_ pow_ clamp_ eq_ ne_ lt_ le_ gt_ ge_ logical_and_ logical_or_ logical_xor_ bitwise_and_ bitwise_or_
bitwise_xor_
"""
FUNCTIONS_ONLY = "where rsub"
OPERATORS = {
    "__add__": _add, "__radd__": _add, "__sub__": _sub, "__rsub__": operator(rsub), "__mul__": _mul, "__rmul__": _mul,
    "__truediv__": _div, "__rtruediv__": _reflected_div, "__neg__": neg, "__abs__": abs,
    "__pow__": operator(pow), "__rpow__": operator(lambda self, other: pow(other, self)), "__ipow__": operator(pow_),
    "__floordiv__": operator(floor_divide), "__mod__": operator(remainder),
    "__iadd__": _write_add, "__isub__": _write_sub, "__imul__": _write_mul, "__itruediv__": _write_div,
    "__eq__": _eq, "__ne__": _ne, "__lt__": _lt, "__le__": _le, "__gt__": _gt, "__ge__": _ge,
    "__and__": operator(bitwise_and), "__rand__": operator(bitwise_and), "__iand__": operator(bitwise_and_),
    "__or__": operator(bitwise_or), "__ror__": operator(bitwise_or), "__ior__": operator(bitwise_or_),
    "__xor__": operator(bitwise_xor), "__rxor__": operator(bitwise_xor), "__ixor__": operator(bitwise_xor_),
    "__invert__": bitwise_not}
