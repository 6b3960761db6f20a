"""Functions of two or three numbers: maximum, clamp, atan2, lerp, addcmul, xlogy and their relatives."""
from __future__ import annotations

import math

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..autograd.inplace import in_place
from ..messages import argument_must_be, counts_arguments, invalid_combination, not_implemented_for
from ..tensor import Tensor
from .arithmetic import minus, over
from .comparison import isnan, logical_and, logical_not, logical_or, where
from .elementwise import exp, floating, reciprocal, zeros_like
from .operands import alike, not_differentiable, warn_of_old_order
from .powers import pow


@differentiable("MaskedFillBackward0", self=lambda grad, mask: masked_zero(grad, mask), mask=None)
def masked_zero(self, mask):
    """0 where the mask holds: in formulas, as PyTorch's record it."""
    return np.where(mask, np.zeros((), self.dtype), self)


def float_only(self, kernel):
    """Refuse integers."""
    if self.dtype.kind != "f":
        raise not_implemented_for(kernel, self.dtype)


# --- the larger and the smaller ---------------------------------------------------------------------------------------

def _shared_at_ties(grad, self, other):
    return where(self == other, grad / 2, grad)


@differentiable("MaximumBackward0",
                self=lambda grad, self, other: masked_zero(_shared_at_ties(grad, self, other), self < other),
                other=lambda grad, self, other: masked_zero(_shared_at_ties(grad, self, other), self > other))
def _maximum(self, other):
    return np.maximum(self, other)


@differentiable("MinimumBackward0",
                self=lambda grad, self, other: masked_zero(_shared_at_ties(grad, self, other), self > other),
                other=lambda grad, self, other: masked_zero(_shared_at_ties(grad, self, other), self < other))
def _minimum(self, other):
    return np.minimum(self, other)


def _first_wins(compare):
    return lambda self, other: logical_or(compare(self, other), isnan(other))


_first_larger, _first_smaller = _first_wins(lambda a, b: a >= b), _first_wins(lambda a, b: a <= b)


@differentiable("FmaxBackward0",
                self=lambda grad, self, other: masked_zero(grad, logical_not(_first_larger(self, other))),
                other=lambda grad, self, other: masked_zero(grad, _first_larger(self, other)))
def _fmax(self, other):
    return np.fmax(self, other)


@differentiable("FminBackward0",
                self=lambda grad, self, other: masked_zero(grad, logical_not(_first_smaller(self, other))),
                other=lambda grad, self, other: masked_zero(grad, _first_smaller(self, other)))
def _fmin(self, other):
    return np.fmin(self, other)


# --- angles, signs, logarithms ----------------------------------------------------------------------------------------

def _inverse_square(self, other):
    return masked_zero(reciprocal(self * self + other * other), logical_and(self == 0, other == 0))


@differentiable("Atan2Backward0",
                self=lambda grad, self, other: grad * other * _inverse_square(self, other),
                other=lambda grad, self, other: grad * -self * _inverse_square(self, other))
def _atan2(self, other):
    return np.arctan2(floating(self), floating(other))


@differentiable("HypotBackward0",
                self=lambda grad, self, result: grad * self / result,
                other=lambda grad, other, result: grad * other / result)
def _hypot(self, other):
    float_only(self, "hypot_cpu")
    return np.hypot(self, other)


def _sign_ratio(grad, self, result):
    return grad * masked_zero(result / self, self == 0)


@differentiable("CopysignBackward0", self=_sign_ratio, other=lambda grad: zeros_like(grad))
def _copysign(self, other):
    return np.copysign(floating(self), floating(other))


@differentiable("CopysignBackward1", self=_sign_ratio)
def _copysign_number(self, other):
    return np.copysign(*map(floating, dtypes.with_number(self, other)))


@differentiable("LogaddexpBackward0",
                self=lambda grad, self, other: grad / (1 + exp(other - self)),
                other=lambda grad, self, other: grad / (1 + exp(self - other)))
def _logaddexp(self, other):
    float_only(self, "logaddexp_cpu")
    return np.logaddexp(self, other)


@differentiable("Logaddexp2Backward0",
                self=lambda grad, self, other: grad / (1 + _two_to(other - self)),
                other=lambda grad, self, other: grad / (1 + _two_to(self - other)))
def _logaddexp2(self, other):
    float_only(self, "logaddexp2_cpu")
    return np.logaddexp2(self, other)


def _two_to(x):
    return pow(2, x) if isinstance(x, Tensor) else np.exp2(x)


def _times_log(a, b):
    return np.where(np.isnan(b), b, np.where(a == 0, np.zeros((), a.dtype), a * np.log(b)))


@differentiable("XlogyBackward0",
                self=lambda grad, self, other: masked_zero(_xlogy(grad, other), logical_and(self == 0, other <= 0)),
                other=lambda grad, self, other: grad * self / other)
def _xlogy(self, other):
    return _times_log(floating(self), floating(other))


@differentiable("XlogyBackward1", other=lambda grad, self, other: grad * self / other)
def _number_xlogy(self, other):
    b, a = dtypes.with_number(other, self)
    return _times_log(floating(a), floating(b))


def _xlogy_gradient(grad, self, other):
    slope = _xlogy_number(grad, other)
    return slope if other > 0 else masked_zero(slope, self == 0)


@differentiable("XlogyBackward2", self=_xlogy_gradient)
def _xlogy_number(self, other):
    return _times_log(*map(floating, dtypes.with_number(self, other)))


@counts_arguments
def xlogy(self, other):
    """self * log(other), and 0 where self is 0."""
    if isinstance(other, Tensor):
        return _xlogy(self, other) if isinstance(self, Tensor) else _number_xlogy(self, other)
    return _xlogy_number(self, other)


def heaviside(self, values):
    """0 below 0, 1 above, and `values` at 0."""
    if self._array.dtype != values._array.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return _heaviside(self, values)


@not_differentiable("heaviside", "self", "values")
def _heaviside(self, values):
    return np.where(self == 0, values, self > 0).astype(self.dtype)


@differentiable("LdexpBackward0",
                self=lambda grad, other, result: grad * _two_to(other),
                other=lambda grad, other, result: grad * result * math.log(2))
def ldexp(self, other):
    """self * 2 ** other."""
    return floating(self) * np.exp2(floating(other))


# --- clamp ------------------------------------------------------------------------------------------------------------

@differentiable("ClampBackward1", self=lambda grad, self, min, max: where(_inside(self, min, max), grad, 0.0))
def _clamp(self, min, max):
    kind = dtypes.result_dtype(self, *[v for v in (min, max) if v is not None])
    return _limited(self.astype(kind, copy=False), *[v if v is None else np.asarray(v, kind) for v in (min, max)])


def _inside(self, min, max):
    if max is None:
        return self >= min
    return self <= max if min is None else logical_and(self >= min, self <= max)


def _limited(self, min, max):
    if min is not None:
        self = np.maximum(self, min)
    return self if max is None else np.minimum(self, max)


@differentiable("ClampBackward0",
                self=lambda grad, self, min, max: where(_inside(self, min, max), grad, 0.0),
                min=lambda grad, self, min, max: where(_below(self, min, max), grad, 0.0),
                max=lambda grad, self, min, max: where(_above(self, min, max), grad, 0.0))
def _clamp_tensors(self, min, max):
    kind = dtypes.result_dtype(self, *[v for v in (min, max) if v is not None])
    return _limited(self.astype(kind, copy=False),
                    *[v if v is None else v.astype(kind, copy=False) for v in (min, max)])


def _below(self, min, max):
    return self < min if max is None else logical_and(self < min, min < max)


def _above(self, min, max):
    return self > max if min is None else logical_or(self > max, max < min)


@differentiable("ClampMinBackward0", self=lambda grad, self, min: where(self >= min, grad, 0.0))
def _clamp_min(self, min):
    return np.maximum(*dtypes.with_number(self, min))


@differentiable("ClampMinBackward1",
                self=lambda grad, self, min: where(self >= min, grad, 0.0),
                min=lambda grad, self, min: where(self < min, grad, 0.0))
def _clamp_min_tensor(self, min):
    return np.maximum(self, min)


@differentiable("ClampMaxBackward0", self=lambda grad, self, max: where(self <= max, grad, 0.0))
def _clamp_max(self, max):
    return np.minimum(*dtypes.with_number(self, max))


@differentiable("ClampMaxBackward1",
                self=lambda grad, self, max: where(self <= max, grad, 0.0),
                max=lambda grad, self, max: where(self > max, grad, 0.0))
def _clamp_max_tensor(self, max):
    return np.minimum(self, max)


CLAMP_SIGNATURES = ("Tensor min = None, Tensor max = None", "Number min = None, Number max = None")


def _choose_clamp(name, of_numbers, of_tensors, self, min, max):
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    given = [v for v in (min, max) if v is not None]
    if all([isinstance(v, dtypes.NUMBERS) for v in given]) and isinstance(self, Tensor):
        return of_numbers(self, min, max)
    if all([isinstance(v, Tensor) for v in given]) and isinstance(self, Tensor):
        return of_tensors(self, min, max)
    raise invalid_combination(name, CLAMP_SIGNATURES, self, *given)


@counts_arguments
def clamp(self, min=None, max=None):
    """Every element moved into [min, max], two numbers or two tensors; nan stays.

    The gradient passes where the element was inside, the bounds included.
    """
    return _choose_clamp("clamp", _clamp, _clamp_tensors, self, min, max)


def clamp_(self, min=None, max=None):
    return _choose_clamp("clamp_", _write_clamp, _write_clamp_tensors, self, min, max)


_write_clamp, _write_clamp_tensors = in_place(_clamp), in_place(_clamp_tensors)


# --- three tensors ----------------------------------------------------------------------------------------------------

@differentiable("AddcmulBackward0",
                self=lambda grad: grad,
                tensor1=lambda grad, tensor2, value: grad * (tensor2 * value),
                tensor2=lambda grad, tensor1, value: grad * (tensor1 * value))
def _addcmul(self, tensor1, tensor2, value):
    self, tensor1, tensor2 = alike(self, tensor1, tensor2)
    product = tensor1 * tensor2 if value == 1 else np.asarray(value).astype(self.dtype) * tensor1 * tensor2
    return self + product


@differentiable("AddcdivBackward0",
                self=lambda grad: grad,
                tensor1=lambda grad, tensor2, value: grad * over(value, tensor2),
                tensor2=lambda grad, tensor1, tensor2, value: -grad * (value * tensor1 / (tensor2 * tensor2)))
def _addcdiv(self, tensor1, tensor2, value):
    if tensor1.dtype.kind != "f" and tensor2.dtype.kind != "f":
        raise RuntimeError(ADDCDIV_OF_INTEGERS)
    self, tensor1, tensor2 = alike(self, tensor1, tensor2)
    return self + (tensor1 if value == 1 else np.asarray(value, self.dtype) * tensor1) / tensor2


ADDCDIV_OF_INTEGERS = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true division "
    "of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * torch.trunc(tensor1 / "
    "tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future "
    "addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes.")


@counts_arguments
def addcmul(self, tensor1, tensor2, *more, value=1):
    """self + value * tensor1 * tensor2, broadcast."""
    return _addcmul(self, *three("addcmul", tensor1, tensor2, more, value))


@counts_arguments
def addcdiv(self, tensor1, tensor2, *more, value=1):
    """self + value * tensor1 / tensor2, broadcast."""
    return _addcdiv(self, *three("addcdiv", tensor1, tensor2, more, value))


def three(name, tensor1, tensor2, more, value):
    """The arguments (tensor1, tensor2, value), also in the old order ``x.addcmul(value, tensor1, tensor2)``."""
    if more and isinstance(tensor1, dtypes.NUMBERS):
        warn_of_old_order(f"{name}(Number value, Tensor tensor1, Tensor tensor2)",
                          f"{name}(Tensor tensor1, Tensor tensor2, *, Number value = 1)")
        tensor1, tensor2, value = tensor2, more[0], tensor1
    elif more:
        raise TypeError(f"{name}() takes 2 positional arguments but {2 + len(more)} were given")
    for i, tensor in enumerate((tensor1, tensor2), 1):
        if not isinstance(tensor, Tensor):
            raise argument_must_be(name, f"tensor{i}", i, tensor)
    return tensor1, tensor2, value


@differentiable("LerpBackward0",
                self=lambda grad, weight: grad * (1 - weight),
                end=lambda grad, weight: grad * weight)
def _lerp(self, end, weight):
    check_lerp(self, end, "end")
    return _between(self, end, np.asarray(weight, self.dtype))


@differentiable("LerpBackward1",
                self=lambda grad, weight: grad * minus(1, weight),
                end=lambda grad, weight: grad * weight,
                weight=lambda grad, self, end: grad * (end - self))
def _lerp_tensor(self, end, weight):
    check_lerp(self, end, "end")
    check_lerp(self, weight, "weight")
    return _between(self, end, weight)


def _between(start, end, weight):
    # from whichever end is nearer, so that weight 1 gives exactly `end`
    return np.where(np.abs(weight) < 0.5, start + weight * (end - start), end - (end - start) * (1 - weight))


def check_lerp(self, other, name):
    if other.dtype != self.dtype:
        raise RuntimeError(f"expected dtype {dtypes.cpp_name(self.dtype)} for `{name}` but got dtype "
                           f"{dtypes.cpp_name(other.dtype)}")
    float_only(self, "lerp_kernel_scalar")


LERP_SIGNATURES = ("Tensor end, Tensor weight", "Tensor end, Number weight")


@counts_arguments
def lerp(self, end, weight):
    """Between self (weight 0) and `end` (weight 1); the weight is a number or a tensor."""
    if not isinstance(end, Tensor) or not isinstance(weight, (Tensor, *dtypes.NUMBERS)):
        raise invalid_combination("lerp", LERP_SIGNATURES, self, end, weight)
    return _lerp_tensor(self, end, weight) if isinstance(weight, Tensor) else _lerp(self, end, weight)


# --- public forms -----------------------------------------------------------------------------------------------------

def of_two_tensors(name, operation, of_number=None, parameter="other"):
    """The public function and its in-place form, which insist on tensors (or have a form for numbers)."""
    write, write_number = in_place(operation), of_number and in_place(of_number)

    def choose(name, self, other, of_tensors, of_number):
        if isinstance(other, Tensor) and isinstance(self, Tensor):
            return of_tensors(self, other)
        if of_number is None:
            if not isinstance(self, Tensor):
                raise argument_must_be(name, "input", 0, self)
            raise argument_must_be(name, "other", 1, other)
        if not isinstance(other, dtypes.NUMBERS):
            raise invalid_combination(name, (f"Tensor {parameter}", f"Number {parameter}"), self, other)
        return of_number(self, other)

    @counts_arguments
    def function(self, other):
        return choose(name, self, other, operation, of_number)

    def in_place_form(self, other):
        return choose(f"{name}_", self, other, write, write_number)

    function.__name__ = function.__qualname__ = name
    in_place_form.__name__ = in_place_form.__qualname__ = f"{name}_"
    return function, in_place_form


maximum, minimum = of_two_tensors("maximum", _maximum)[0], of_two_tensors("minimum", _minimum)[0]
fmax, fmin = of_two_tensors("fmax", _fmax)[0], of_two_tensors("fmin", _fmin)[0]
logaddexp, logaddexp2 = of_two_tensors("logaddexp", _logaddexp)[0], of_two_tensors("logaddexp2", _logaddexp2)[0]
atan2, atan2_ = of_two_tensors("atan2", _atan2)
hypot, hypot_ = of_two_tensors("hypot", _hypot)
copysign, copysign_ = of_two_tensors("copysign", _copysign, _copysign_number)
clamp_min, clamp_min_ = of_two_tensors("clamp_min", _clamp_min_tensor, _clamp_min, "min")
clamp_max, clamp_max_ = of_two_tensors("clamp_max", _clamp_max_tensor, _clamp_max, "max")
_, xlogy_ = of_two_tensors("xlogy", _xlogy, _xlogy_number)

_write_addcmul, _write_addcdiv = in_place(_addcmul), in_place(_addcdiv)
_write_lerp, _write_lerp_tensor = in_place(_lerp), in_place(_lerp_tensor)


def addcmul_(self, tensor1, tensor2, *more, value=1):
    return _write_addcmul(self, *three("addcmul_", tensor1, tensor2, more, value))


def addcdiv_(self, tensor1, tensor2, *more, value=1):
    return _write_addcdiv(self, *three("addcdiv_", tensor1, tensor2, more, value))


def lerp_(self, end, weight):
    check_lerp(self._array, end._array, "end")      # before the dtypes are made alike
    return (_write_lerp_tensor if isinstance(weight, Tensor) else _write_lerp)(self, end, weight)


clip, clip_, arctan2, arctan2_ = clamp, clamp_, atan2, atan2_

METHODS = ("ldexp maximum minimum fmax fmin atan2 arctan2 hypot copysign logaddexp logaddexp2 xlogy heaviside clamp clip "
           "clamp_min clamp_max addcmul addcdiv lerp")
METHODS_ONLY = ("atan2_ arctan2_ hypot_ copysign_ xlogy_ clamp_ clip_ clamp_min_ clamp_max_ addcmul_ addcdiv_ lerp_")
