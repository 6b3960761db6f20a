"""Arithmetic with two tensors, or with a tensor and a number: + - * / // % and their mixtures."""
import numpy as np

from ..autograd.inplace import in_place
from ..autograd.operation import differentiable
from ..dtypes import NUMBERS, Default, cpp_name, promoted
from ..state import local
from ..tensor import Tensor
from .elementwise import declare, dispatch, flat, reciprocal, refuse


def arithmetic(node_name, compute, **gradients):
    """Declare an operation, and what formulas record for it beside a plain number: MulBackward1."""
    function = declare(node_name, compute, **gradients)
    function.operation.with_number = declare(
        node_name.replace("0", "1"), compute, self=gradients["self"])
    return function


def refuse_bools(self, other):
    """Raise PyTorch's error for a difference with bools."""
    bools = [getattr(x, "dtype", type(x)) in (bool, np.bool_) for x in (self, other)]
    if any(bools):
        raise RuntimeError("Subtraction, the `-` operator, with " + (
            "two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead."
            if all(bools) else
            "a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
            "`logical_not()` operator instead."))


def _subtract(self, other):
    if self.dtype.kind == "b":
        refuse_bools(self, other)
    return self - other


def _divide(self, other):
    return self / other if self.dtype.kind == "f" else np.divide(self, other, dtype=Default.numpy)


@differentiable("RsubBackward1", self=lambda grad: -grad)
def _subtract_from(self, number):
    if self.dtype.kind != "f" or type(number) not in (int, float):    # others need promotion
        refuse_bools(self, number)
        self, number = promoted(self, number)
    return number - self


_add = arithmetic("AddBackward0", lambda self, other: self + other,
                  self=lambda grad: grad, other=lambda grad: grad)
_sub = arithmetic("SubBackward0", _subtract,
                  self=lambda grad: grad, other=lambda grad: -grad)
_mul = arithmetic("MulBackward0", lambda self, other: self * other,
                  self=lambda grad, other: grad * other, other=lambda grad, self: grad * self)
_div = arithmetic("DivBackward0", _divide,
                  self=lambda grad, other: grad / other,
                  other=lambda grad, self, other: -grad * ((self / other) / other))
_sub.operation.refuse = refuse_bools        # before the dtypes are promoted
for function in (_add, _sub, _subtract_from):
    function.operation.node_type._saved_alpha = 1


def scaled(self, other, alpha):
    """Return two arrays in their common dtype, the second times alpha."""
    self, other = promoted(self, other)
    if isinstance(alpha, float) and self.dtype.kind != "f":
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating "
                           "point number.")
    return self, other * self.dtype.type(alpha)


@differentiable("AddBackward0",
                self=lambda grad, alpha: grad, other=lambda grad, alpha: grad * alpha)
def _add_scaled(self, other, alpha):
    self, other = scaled(self, other, alpha)
    return self + other


@differentiable("SubBackward0",
                self=lambda grad, alpha: grad, other=lambda grad, alpha: -grad * alpha)
def _sub_scaled(self, other, alpha):
    refuse_bools(self, other)
    self, other = scaled(self, other, alpha)
    return self - other


@dispatch
def add(self, other, *, alpha=1):
    """Return self + alpha * other; shapes broadcast, and the dtypes are promoted.

        torch.add(torch.tensor([1, 2]), 0.5)        # tensor([1.5000, 2.5000])
    """
    return (_add, self, other) if alpha == 1 else (_add_scaled, self, other, alpha)


@dispatch
def sub(self, other, *, alpha=1):
    """Return self - alpha * other; not of bools."""
    return (_sub, self, other) if alpha == 1 else (_sub_scaled, self, other, alpha)


@dispatch
def mul(self, other):
    """Return self * other."""
    return _mul, self, other


# --- division -----------------------------------------------------------------------------------

@differentiable("DivBackward2",
                self=lambda grad, other, rounding_mode: (
                    flat(grad) if rounding_mode else grad / other),
                other=lambda grad, self, other, rounding_mode: (
                    flat(grad) if rounding_mode else -grad * ((self / other) / other)))
def _div_rounded(self, other, rounding_mode):
    if rounding_mode is None:
        return _divide(*promoted(self, other))
    self, other = divisible(self, other, f"div_{rounding_mode}_cpu")
    if rounding_mode == "floor":
        return np.floor_divide(self, other)
    if self.dtype.kind == "f":
        return np.trunc(self / other)
    return np.floor_divide(self - np.fmod(self, other), other)


def divisible(self, other, kernel):
    """Return both arrays in one dtype; bools cannot be divided, nor can integers by 0."""
    self, other = promoted(self, other)
    if refuse("b", self, kernel).dtype.kind != "f" and self.size and not np.all(other):
        raise RuntimeError("ZeroDivisionError")
    return self, other


@dispatch
def div(self, other, *, rounding_mode=...):     # PyTorch has another node where it is given as None
    """Return self / other; rounded down for ``rounding_mode="floor"``, towards 0 for "trunc"."""
    if rounding_mode is ...:
        return _div, self, other
    if rounding_mode not in ("trunc", "floor", None):
        raise RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor' but "
                           f"found '{rounding_mode}'")
    return _div_rounded, self, other, rounding_mode


def floor_division(name):
    """Declare floor division; PyTorch has no gradient for it, and says so by this name."""
    def formula(grad):
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    def compute(self, other):
        return _div_rounded.operation.forward(self, other, "floor")

    node_name = "torch::autograd::NotImplemented"
    of_both, of_self, of_other = [
        differentiable(node_name, self=first, other=second)(compute)
        for first, second in ((formula, formula), (formula, None), (None, formula))]

    for function in (of_both, of_self, of_other):
        function.operation.node_type.check_saved = formula

    @dispatch
    def floor_divide(self, other):
        """Return self / other rounded down, as ``//`` does."""
        first, second = [isinstance(x, Tensor) and x.requires_grad for x in (self, other)]
        return of_self if not second else of_both if first else of_other, self, other
    return floor_divide


floor_divide = floor_division("floor_divide")
floor_divide.in_place = floor_division("floor_divide_").in_place


def _modulo(self, other):
    return np.remainder(*divisible(self, other, "remainder_cpu"))


_remainder = differentiable(
    "RemainderBackward1", self=lambda grad: grad,
    other=lambda grad, self, other: -grad * _div_rounded(self, other, "floor"))(_modulo)
_remainder_number = differentiable("RemainderBackward0", self=lambda grad: grad)(_modulo)


@dispatch
def remainder(self, other):
    """Return what the division leaves, with the sign of other, as ``%`` does."""
    return _remainder_number if isinstance(other, NUMBERS) else _remainder, self, other


@differentiable("AddcmulBackward0", self=lambda grad: grad,
                tensor1=lambda grad, tensor2, value: grad * (tensor2 * value),
                tensor2=lambda grad, tensor1, value: grad * (tensor1 * value))
def _addcmul(self, tensor1, tensor2, value):
    self, tensor1, tensor2 = promoted(self, tensor1, tensor2)
    return refuse("b", self, "addcmul_cpu_out") + np.asarray(value, self.dtype) * tensor1 * tensor2


@differentiable("AddcdivBackward0", self=lambda grad: grad,
                tensor1=lambda grad, tensor2, value: grad * (value / tensor2),
                tensor2=lambda grad, tensor1, tensor2, value: (
                    -grad * (value * tensor1 / (tensor2 * tensor2))))
def _addcdiv(self, tensor1, tensor2, value):
    self, tensor1, tensor2 = promoted(self, tensor1, tensor2)
    return refuse("biu", self, "addcdiv_cpu_out") + value * tensor1 / tensor2


def _between(self, end, weight):
    if end.dtype != self.dtype:
        raise RuntimeError(f"expected dtype {cpp_name(self.dtype)} for `end` but got dtype "
                           f"{cpp_name(end.dtype)}")
    refuse("biu", self, f"lerp_kernel_{'tensor' if hasattr(weight, 'shape') else 'scalar'}")
    # from the nearer end, so that weight 1 gives exactly `end`
    return np.where(np.abs(weight) < 0.5, self + weight * (end - self),
                    end - (end - self) * (1 - weight))


_lerp = differentiable("LerpBackward0", self=lambda grad, weight: grad * (1 - weight),
                       end=lambda grad, weight: grad * weight)(_between)
_lerp_tensor = differentiable("LerpBackward1", self=lambda grad, weight: grad * (1 - weight),
                              end=lambda grad, weight: grad * weight,
                              weight=lambda grad, self, end: grad * (end - self))(_between)


@dispatch
def addcmul(self, tensor1, tensor2, *, value=1):
    """Return self + value * tensor1 * tensor2."""
    return _addcmul, self, tensor1, tensor2, value


@dispatch
def addcdiv(self, tensor1, tensor2, *, value=1):
    """Return self + value * tensor1 / tensor2, of floats."""
    return _addcdiv, self, tensor1, tensor2, value


@dispatch
def lerp(self, end, weight):
    """Return self + weight * (end - self): self for weight 0, end for weight 1."""
    return _lerp_tensor if isinstance(weight, Tensor) else _lerp, self, end, weight


def operator(function):
    """Make an operator of a function: it declines operands of other types, as + - * / do."""
    def call(self, other):
        return function(self, other) if isinstance(other, (Tensor, *NUMBERS)) else NotImplemented
    return call


IN_PLACE = METHODS = "add sub mul div floor_divide remainder addcmul addcdiv lerp"
OPERATORS = {
    "__add__": _add, "__radd__": _add, "__iadd__": in_place(_add),
    "__sub__": _sub, "__isub__": in_place(_sub),
    "__rsub__": operator(lambda self, number: (     # PyTorch's formulas leave no RsubBackward1
        _sub(number, self) if local.state.in_formula else _subtract_from(self, number))),
    "__mul__": _mul, "__rmul__": _mul, "__imul__": in_place(_mul),
    "__truediv__": _div, "__itruediv__": in_place(_div),
    "__rtruediv__": operator(lambda self, number: (
        _div(number, self) if local.state.in_formula else reciprocal(self) * number)),
    "__floordiv__": operator(floor_divide), "__ifloordiv__": operator(floor_divide.in_place),
    "__rfloordiv__": operator(lambda self, number: floor_divide(number, self)),
    "__mod__": operator(remainder), "__imod__": operator(remainder.in_place),
    "__rmod__": operator(lambda self, number: remainder(number, self))}
