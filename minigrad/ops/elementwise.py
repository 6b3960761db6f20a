"""Functions of one number, computed for each element: exp, log, sin, tanh, relu, abs, round, clone.

One line of a table holds all there is to know of a function: the node that it leaves in the graph,
what NumPy computes, and its gradient, which is `grad` times the derivative.
"""
from functools import cache, wraps

import numpy as np

from .. import dtypes
from ..autograd.inplace import in_place
from ..autograd.operation import differentiable
from ..errors import not_implemented_for, type_name
from ..memory import overlaps_itself
from .formulas import new_zeros, shape_of


def declare(node_name, forward, **gradients):
    """Make an operation that is named after its node: MulBackward0 is left by mul."""
    forward.__name__ = node_name.rpartition("Backward")[0].lower()
    return differentiable(node_name, **gradients)(forward)


def smooth(node_name, compute, gradient):
    """Declare a function whose values are floats; integers and bools are converted first."""
    def forward(self):
        """Compute the function of this name for each number; the result is of floats."""
        return compute(self if self.dtype.kind == "f" else self.astype(dtypes.Default.numpy))
    return declare(node_name, forward, self=gradient)


def exact(node_name, compute, gradient, kernel=None):
    """Declare a function that keeps integers; with the name of a `kernel` it refuses bools."""
    def forward(self):
        """Compute the function of this name for each number; the dtype stays the same."""
        return compute(self if kernel is None else refuse("b", self, kernel))
    return declare(node_name, forward, self=gradient)


def refuse(kinds, array, kernel):
    """Return an array, unless it is of these kinds ("b": bools, "iu": integers, "f": floats)."""
    if array.dtype.kind in kinds:
        raise not_implemented_for(kernel, array.dtype)
    return array


def flat(grad):
    """Return the gradient of a function that is constant almost everywhere: zeros."""
    return new_zeros(grad, shape_of(grad))


def dispatch(choose):
    """Make a function, and its `in_place` form, of one that returns operation and operands."""
    def form(form_of):
        @wraps(choose)
        def function(*args, **settings):
            operation, *operands = choose(*args, **settings)
            result = form_of(operation)(*operands)
            if result is NotImplemented:        # an operation of two declines, as an operator does
                raise TypeError(f"{choose.__name__}(): argument 'other' (position 1) must be "
                                f"Tensor, not {type_name(operands[1])}")
            return result
        return function

    function = form(lambda operation: operation)
    function.in_place = form(cache(in_place))
    return function


# --- the table ----------------------------------------------------------------------------------

def _relu(self):
    if self.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    return np.maximum(0, self)


def _negative(self):
    if self.dtype.kind == "b":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
            "invert a mask, use the `~` or `logical_not()` operator instead.")
    return -self


def _sign(self):        # np.sign(nan) is nan; PyTorch has 0
    return np.subtract(self > 0, self < 0, dtype=np.int8).astype(self.dtype)


# name      node that it leaves  NumPy      gradient
exp   = smooth("ExpBackward0",   np.exp,    lambda grad, result: grad * result)
log   = smooth("LogBackward0",   np.log,    lambda grad, self: grad / self)
log1p = smooth("Log1PBackward0", np.log1p,  lambda grad, self: grad / (self + 1))
sqrt  = smooth("SqrtBackward0",  np.sqrt,   lambda grad, result: grad / (2 * result))
sin   = smooth("SinBackward0",   np.sin,    lambda grad, self: grad * cos(self))
cos   = smooth("CosBackward0",   np.cos,    lambda grad, self: grad * -sin(self))
tan   = smooth("TanBackward0",   np.tan,    lambda grad, result: grad * (1 + result ** 2))
tanh  = smooth("TanhBackward0",  np.tanh,   lambda grad, result: tanh_backward(grad, result))
sigmoid = smooth("SigmoidBackward0", lambda x: np.reciprocal(1 + np.exp(-x)),
                 lambda grad, result: sigmoid_backward(grad, result))
reciprocal = smooth("ReciprocalBackward0", np.reciprocal,
                    lambda grad, result: -grad * (result * result))
rsqrt = smooth("RsqrtBackward0", lambda x: 1 / np.sqrt(x),
               lambda grad, result: -0.5 * grad * result ** 3)

relu  = exact("ReluBackward0",  _relu,     lambda grad, result: threshold_backward(grad, result, 0))
neg   = exact("NegBackward0",   _negative, lambda grad: -grad)
abs   = exact("AbsBackward0",   np.abs,    lambda grad, self: grad * sgn(self), "abs_cpu")
sign  = exact("SignBackward0",  _sign,     flat)
sgn   = exact("SgnBackward0",   _sign,     lambda grad, self, result: flat(grad))
floor = exact("FloorBackward0", np.floor,  flat, "floor_vml_cpu")
ceil  = exact("CeilBackward0",  np.ceil,   flat, "ceil_vml_cpu")
round_to_integer = exact("RoundBackward0", np.round, flat, "round_vml_cpu")
clone = exact("CloneBackward0", lambda x: x.copy("C" if overlaps_itself(x) else "K"),
              lambda grad: grad)


# --- gradients that are operations of their own, and functions with settings ---------------------

tanh_backward = declare(
    "TanhBackwardBackward0", lambda grad_output, output: grad_output * (1 - output * output),
    grad_output=lambda grad, output: tanh_backward(grad, output),
    output=lambda grad, grad_output, output: grad * (-2 * output * grad_output))
sigmoid_backward = declare(
    "SigmoidBackwardBackward0", lambda grad_output, output: grad_output * (1 - output) * output,
    grad_output=lambda grad, output: sigmoid_backward(grad, output),
    output=lambda grad, grad_output, output: grad * grad_output * (-2 * output + 1))
threshold_backward = declare(
    "ThresholdBackwardBackward0", lambda grad_output, self, threshold: np.where(
        self <= threshold, self.dtype.type(0), grad_output),
    grad_output=lambda grad, self, threshold: threshold_backward(grad, self, threshold), self=flat)
softplus_backward = declare(
    "SoftplusBackwardBackward0", lambda grad_output, self, beta, threshold: np.where(
        self * beta > threshold, grad_output, grad_output / (1 + np.exp(-self * beta))),
    grad_output=lambda grad, self, beta, threshold: softplus_backward(grad, self, beta, threshold),
    self=lambda grad, grad_output, self, beta, threshold: (
        sigmoid_backward(grad * grad_output, sigmoid(self * beta))
        * (self * beta < threshold) * beta))


@differentiable("SoftplusBackward0", self=lambda grad, self, beta, threshold: (
    softplus_backward(grad, self, beta, threshold)))
def _softplus(self, beta, threshold):
    scaled = refuse("biu", self, "softplus_cpu") * beta
    return np.where(scaled > threshold, self, np.log1p(np.exp(scaled)) / beta)


def softplus(input, beta=1, threshold=20):
    """Return log(1 + exp(beta * x)) / beta, a smooth relu; x itself where beta * x > threshold."""
    return _softplus(input, beta, threshold)


round_to_decimals = declare("RoundBackward1", lambda self, decimals: np.round(
    refuse("biu", self, "round_cpu"), decimals), self=flat)


@dispatch
def round(self, *, decimals=0):
    """Round to so many decimals, and halves to the even neighbour: 0.5 to 0, 1.5 to 2."""
    return (round_to_decimals, self, decimals) if decimals else (round_to_integer, self)


IN_PLACE = ("exp log log1p sqrt rsqrt reciprocal sin cos tan tanh sigmoid relu neg abs sign floor "
            "ceil round ")
METHODS = IN_PLACE + "clone"
OPERATORS = {"__neg__": neg, "__abs__": abs, "__pos__": lambda self: self}
