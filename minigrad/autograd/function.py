"""Your own differentiable functions: subclass ``Function``, write ``forward`` and ``backward``.

Both receive the same ``ctx``, which is the node that ``apply`` records: ``y.grad_fn``.
"""
import functools
import inspect

import numpy as np

from ..errors import type_name, warn
from ..state import local
from ..tensor import Tensor, wrap
from .function_outputs import attach_outputs
from .grad_mode import no_grad
from .node import Node, edges_to
from .saved import keep, save_input, save_result, tensor_of
from .saved_attributes import SavedTensor


class Function:
    """Base class of the differentiable functions that you write; call ``Square.apply(x)``.

    >>> class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         x, = ctx.saved_tensors
    ...         return 2 * x * grad
    """
    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls._backward_cls = type(f"{cls.__name__}Backward", (BackwardCFunction,),
                                 {"_forward_cls": cls, "__module__": "torch.autograd.function"})

    @staticmethod
    def forward(*args, **kwargs):
        """Compute a tensor or a tuple of them, unrecorded; its first parameter is ``ctx``."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Fill ``ctx`` after ``output = forward(*inputs)``, which then has no ``ctx`` parameter."""

    @staticmethod
    def backward(ctx, *grad_outputs):
        """Compute a gradient, or None, for each argument of forward, given those of its outputs."""
        raise NotImplementedError("You must implement either the backward or vjp method for your "
                                  "custom autograd.Function to use it with backward mode AD.")

    vjp = backward

    @classmethod
    def apply(cls, *args, **kwargs):
        """Call ``forward`` and, if an argument requires a gradient, record the call as one node."""
        has_setup = cls.setup_context is not Function.setup_context
        if has_setup or kwargs:             # put the arguments into the order of the parameters
            first = () if has_setup else (None,)            # in the place of ctx
            call = inspect.signature(cls.forward).bind(*first, *args, **kwargs)
            if has_setup:
                call.apply_defaults()
            args = call.args[len(first):]
        ctx = cls._backward_cls(args)
        inputs = [one for one in args if isinstance(one, Tensor)]
        recording = local.state.recording and True in ctx.needs_input_grad
        if recording:
            ctx._children, ctx._output_nrs = edges_to(inputs)
        with no_grad():
            output = cls.forward(*args) if has_setup else cls.forward(ctx, *args)
            cls.setup_context(ctx, args, output)
            outputs = list(output) if isinstance(output, tuple) else [output]
            attach_outputs(ctx, outputs, inputs, recording, has_setup)
        if recording:
            ctx._save(outputs)
        ctx.to_save = ctx.dirty_tensors = ctx.non_differentiable = ()
        return tuple(outputs) if isinstance(output, tuple) else outputs[0]

    def __init__(self):
        warn(f"{type(self)} should not be instantiated. Methods on autograd functions are all "
             "static, so you should invoke them on the class itself. Instantiating an autograd "
             "function will raise an error in a future version of PyTorch.", DeprecationWarning)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)")


class BackwardCFunction(Node):
    """The node that ``apply`` records, and ``ctx``; every Function has a subclass of its own."""
    none_gives_none = False         # backward runs also if no gradient has arrived
    to_save = dirty_tensors = non_differentiable = ()
    materialize_grads = True
    __repr__ = object.__repr__

    def __init__(self, args):
        super().__init__((), None, np.float32(0))       # there is no output yet
        self._is_tensor = [isinstance(x, Tensor) for x in args]
        self.needs_input_grad = tuple([isinstance(x, Tensor) and x.requires_grad for x in args])

    def __call__(self, *grads):
        raise TypeError(f"'{type(self).__name__}' object is not callable")

    def save_for_backward(self, *tensors):
        """Keep tensors (or None) for ``backward``, which finds them in ``ctx.saved_tensors``.

        The last call counts.  A later write in place to one of them is an error in ``backward``.
        """
        self.to_save = tensors

    def mark_dirty(self, *args):
        """Name the inputs that ``forward`` writes in place; it must return them."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args):
        """Name the outputs that do not require a gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value):
        """Choose what ``backward`` receives where no gradient arrived: zeros (True) or None."""
        self.materialize_grads = value

    @property
    def saved_tensors(self):
        """The tensors that ``save_for_backward`` kept, each with its history."""
        return tuple([tensor_of(self, i, False) for i, _ in enumerate(self._kept or ())])

    @property
    def _raw_saved_tensors(self):
        return tuple([SavedTensor(self, i) for i, _ in enumerate(self._kept or ())])

    def _save(self, outputs):
        results = [id(one) for one in outputs if isinstance(one, Tensor) and one.requires_grad]
        for i, one in enumerate(self.to_save):
            if one is not None and not isinstance(one, Tensor):
                raise TypeError(f"save_for_backward can only save variables, but argument {i} is "
                                f"of type {type(one).__name__}")
        if self.to_save:
            keep(self, *[save_result(one) if id(one) in results else save_input(one)
                         for one in self.to_save])

    def gradients_as_tensors(self, grad, wanted=None):
        grads = [grad] if self._outputs is None else list(grad)
        if self.materialize_grads:
            grads = [wrap(np.zeros(*like)) if one is None and like is not None else one
                     for one, like in zip(grads, self.describe_outputs())]
        user = self._forward_cls
        if user.vjp is not Function.vjp and user.backward is not Function.backward:
            raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is "
                               "not allowed. You should only implement one of them.")
        results = (user.backward if user.vjp is Function.vjp else user.vjp)(self, *grads)
        results = results if isinstance(results, tuple) else (results,)
        expected = len(self._is_tensor)
        if len(results) < expected or any([one is not None for one in results[expected:]]):
            raise RuntimeError(f"function {self.name()} returned an incorrect number of gradients "
                               f"(expected {expected}, got {len(results)})")
        for i, (result, is_tensor) in enumerate(zip(results, self._is_tensor), 1):
            if result is not None and not is_tensor:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different than None at position "
                    f"{i}, but the corresponding forward input was not a Variable")
            if result is not None and not isinstance(result, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type_name(result)})")
        return tuple([result for result, is_tensor in zip(results, self._is_tensor) if is_tensor])


Function._backward_cls = BackwardCFunction


def once_differentiable(backward):
    """Mark a ``backward`` that may use NumPy: to differentiate it again is a RuntimeError."""
    @functools.wraps(backward)
    def wrapped(ctx, *grads):
        with no_grad():
            results = backward(ctx, *grads)
        differentiable = [one for one in grads if one is not None and one.requires_grad]
        if not (local.state.recording and differentiable):
            return results
        results = results if isinstance(results, tuple) else (results,)
        results = tuple([one if one is None else one.detach() for one in results])
        edges = edges_to([one if one is None else one.detach().requires_grad_() for one in results])
        for one in [one for one in results if one is not None]:
            one._requires_grad, one._node = True, Error(*edges, one._array)
        return results
    return wrapped


class Error(Node):
    """The node of a gradient that cannot be differentiated."""
    def name(self):
        return "torch::autograd::Error"

    def gradients_as_tensors(self, grad, wanted=None):
        raise RuntimeError("trying to differentiate twice a function that was marked with "
                           "@once_differentiable")
