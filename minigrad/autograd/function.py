"""Your own differentiable functions: subclass ``Function``; write forward and backward.

Both receive the same ``ctx``, which is the node that ``apply`` records: ``y.grad_fn``.
"""
from functools import wraps
from importlib import import_module

from ..errors import warn
from ..state import local, next_sequence_nr
from ..tensor import Tensor
from .accumulate import edges_to
from .function_node import FunctionNode, attach_outputs
from .grad_mode import no_grad
from .node import Node

__all__ = ["Function", "once_differentiable"]

NO_FORWARD = "You must implement the forward function for custom autograd.Function."
NO_BACKWARD = (
    "You must implement either the backward or vjp method for your custom "
    "autograd.Function to use it with backward mode AD.")
BOTH_METHODS = (
    "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You "
    "should only implement one of them.")
INSTANTIATED = (
    "{} should not be instantiated. Methods on autograd functions are all static, "
    "so you should invoke them on the class itself. Instantiating an autograd "
    "function will raise an error in a future version of PyTorch.")
INSTANCE_CALLED = (
    "Legacy autograd function with non-static forward method is deprecated. Please use "
    "new-style autograd function with static forward method. (Example: "
    "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)")


class Function:
    """Base class of the differentiable functions that you write.

    >>> class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         x, = ctx.saved_tensors
    ...         return 2 * x * grad
    >>> y = Square.apply(x)
    """

    _backward_cls = FunctionNode

    def __init_subclass__(cls, **kwargs):
        """Make the class of the nodes of a new Function: SquareBackward for Square."""
        super().__init_subclass__(**kwargs)
        attributes = {"_forward_cls": cls, "__module__": "torch.autograd.function"}
        name = f"{cls.__name__}Backward"
        cls._backward_cls = type(name, (FunctionNode,), attributes)

    @staticmethod
    def forward(*args, **kwargs):
        """Compute a tensor or a tuple of them, unrecorded; `ctx` comes first."""
        raise NotImplementedError(NO_FORWARD)

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Fill ``ctx`` after ``output = forward(*inputs)``.

        A Function that defines this has a ``forward`` without the parameter ``ctx``.
        """

    @staticmethod
    def backward(ctx, *grad_outputs):
        """Return a gradient, or None, for each argument of forward.

        It is given the gradients of what forward returned.
        """
        raise NotImplementedError(NO_BACKWARD)

    vjp = backward

    @classmethod
    def apply(cls, *args, **kwargs):
        """Call ``forward``, and record the call if an argument requires a gradient."""
        has_setup = cls.setup_context is not Function.setup_context
        if has_setup or kwargs:
            args = arguments_in_order(cls.forward, args, kwargs, has_setup)
        ctx = cls._backward_cls(args)
        inputs = [arg for arg in args if isinstance(arg, Tensor)]
        recording = local.state.recording and True in ctx.needs_input_grad
        if recording:
            ctx._children, ctx._output_nrs = edges_to(inputs)
            # After its children: asking for a view's history may have recorded one.
            ctx._sequence = next_sequence_nr()
        with no_grad():
            if has_setup:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args)
            is_tuple = isinstance(output, tuple)
            outputs = list(output) if is_tuple else [output]
            attach_outputs(ctx, outputs, inputs, recording, has_setup)
        if recording:
            ctx._save(outputs)
        ctx._forget_marks()
        return tuple(outputs) if is_tuple else outputs[0]

    @classmethod
    def _gradient_method(cls):
        """Return ``backward``, or ``vjp`` for a Function that defines that instead."""
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise RuntimeError(BOTH_METHODS)
        return cls.vjp

    def __init__(self):
        warn(INSTANTIATED.format(type(self)), DeprecationWarning)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(INSTANCE_CALLED)


def arguments_in_order(forward, args, kwargs, has_setup):
    """Return the arguments of ``apply`` in the order of forward's parameters."""
    inspect = import_module("inspect")      # importing it takes a while: few need it
    signature = inspect.signature(forward)
    if not has_setup:
        return signature.bind(None, *args, **kwargs).args[1:]       # None is for ctx
    call = signature.bind(*args, **kwargs)
    call.apply_defaults()
    return call.args


# --- a backward that is not itself differentiable -------------------------------------
# It may compute with NumPy, which records nothing.

DIFFERENTIATED_TWICE = (
    "trying to differentiate twice a function that was marked with "
    "@once_differentiable")


def once_differentiable(backward):
    """Mark a ``backward`` as not recorded; to differentiate its result is an error."""
    @wraps(backward)
    def decorated(ctx, *grads):
        with no_grad():
            results = backward(ctx, *grads)
        takes_gradient = [grad is not None and grad.requires_grad for grad in grads]
        if not local.state.recording or True not in takes_gradient:
            return results
        if not isinstance(results, tuple):
            results = (results,)
        return tuple([None if result is None else refusing(result)
                      for result in results])
    return decorated


def refusing(tensor):
    """Return a tensor with the same numbers, through which no gradient can pass."""
    result = tensor.detach()
    leaf = tensor.detach().requires_grad_()     # a child, so that Error is no leaf
    result._requires_grad = True
    result._node = Error(*edges_to([leaf]), result._array)
    return result


class Error(Node):
    """The node of a gradient that cannot be differentiated; the name is PyTorch's."""

    def name(self):
        return "torch::autograd::Error"

    def _gradients_of_tensors(self, grad, wanted=None):
        raise RuntimeError(DIFFERENTIATED_TWICE)
