"""Your own differentiable functions: subclass ``Function``, write ``forward`` and ``backward``.

Both receive the same ``ctx``, which is the node that ``apply`` records: ``y.grad_fn``.
"""
from __future__ import annotations

import functools
import inspect
import warnings

import numpy as np

from ..errors import type_name
from ..state import local
from ..tensor import Tensor, wrap
from .function_outputs import attach_outputs, describe_outputs, set_history
from .grad_mode import no_grad
from .node import Node, edges_to
from .saved import keep, save_input, save_result, with_history
from .saved_attributes import SavedTensor


class Function:
    """Base class of the differentiable functions that you write.  Call them by ``apply``.

    >>> class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         x, = ctx.saved_tensors
    ...         return 2 * x * grad
    >>> Square.apply(torch.ones(2, requires_grad=True))
    tensor([1., 1.], grad_fn=<SquareBackward>)

    ``torch.autograd.gradcheck(Square.apply, x)`` compares the backward with the forward.
    """

    def __init_subclass__(cls, **kwargs):
        """Give each Function the class of its nodes."""
        super().__init_subclass__(**kwargs)
        cls._backward_cls = type(f"{cls.__name__}Backward", (BackwardCFunction,),
                                 {"_forward_cls": cls, "__module__": "torch.autograd.function"})

    @staticmethod
    def forward(*args, **kwargs):
        """Compute the output, a tensor or a tuple of them; nothing inside is recorded.

        Write it as ``forward(ctx, *args)``, or as ``forward(*args)`` with a ``setup_context``.
        """
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Fill ``ctx`` after ``output = forward(*inputs)``."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """Compute a gradient for each argument of forward from the gradients of its outputs.

        Return None for what is no tensor, or needs none according to ``ctx.needs_input_grad``.
        """
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD.")

    vjp = backward

    @classmethod
    def apply(cls, *args, **kwargs):
        """Call ``forward`` and, if an argument requires a gradient, record the call as one node."""
        has_setup = cls.setup_context is not Function.setup_context
        if has_setup or kwargs:
            args = positional(cls.forward, has_setup, args, kwargs)
        ctx = cls._backward_cls(args)
        inputs = [one for one in args if isinstance(one, Tensor)]
        recording = local.state.recording and True in ctx.needs_input_grad
        if recording:
            ctx._children, ctx._output_nrs = edges_to(inputs)
        with no_grad():
            if has_setup:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args)
            outputs = list(output) if isinstance(output, tuple) else [output]
            attach_outputs(ctx, outputs, inputs, recording, has_setup)
        if recording:
            ctx._save(outputs)
        ctx.to_save = ctx.dirty_tensors = ctx.non_differentiable = ()
        return tuple(outputs) if isinstance(output, tuple) else outputs[0]

    def __init__(self, *args, **kwargs):
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all "
            "static, so you should invoke them on the class itself. Instantiating an autograd "
            "function will raise an error in a future version of PyTorch.", DeprecationWarning,
            stacklevel=2)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)")


def positional(forward, has_setup, args, kwargs):
    """Return the arguments of a call in the order of `forward`'s parameters."""
    ctx = () if has_setup else (None,)
    call = inspect.signature(forward).bind(*ctx, *args, **kwargs)
    if has_setup:
        call.apply_defaults()
    if call.kwargs:
        raise TypeError(f"forward() missing required arguments before {', '.join(call.kwargs)}")
    return call.args[len(ctx):]


class BackwardCFunction(Node):
    """The node that ``apply`` records, and ``ctx``; every Function has a subclass of its own."""

    undefined_gives_undefined = False       # backward runs also where no gradient has arrived
    _forward_cls: type
    to_save = dirty_tensors = non_differentiable = ()
    materialize_grads = True

    def __init__(self, args):
        super().__init__((), None, np.float32(0))       # there is no output yet
        self._is_tensor = [isinstance(one, Tensor) for one in args]
        self.needs_input_grad = tuple([isinstance(one, Tensor) and one.requires_grad
                                       for one in args])

    def __repr__(self):
        return f"<{type(self).__module__}.{type(self).__name__} object at {id(self):#x}>"

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
        if not isinstance(value, bool):
            raise TypeError("set_materialize_grads received an invalid combination of arguments - "
                            "got (), but expected (bool)")
        self.materialize_grads = value

    @property
    def saved_tensors(self):
        """The tensors that ``save_for_backward`` kept, each with its history."""
        if self._kept is None:
            return ()
        return tuple([with_history(value, version, self)
                      for value, version in zip(self._kept, self._versions)])

    @property
    def _raw_saved_tensors(self):
        return tuple([SavedTensor.of(self, place) for place, _ in enumerate(self._kept or ())])

    def _save(self, outputs):
        """Keep what ``save_for_backward`` was given."""
        for i, tensor in enumerate(self.to_save):
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TypeError(f"save_for_backward can only save variables, but argument {i} is "
                                f"of type {type(tensor).__name__}")
        own = {id(one) for one in outputs if isinstance(one, Tensor) and one.requires_grad}
        if self.to_save:
            keep(self, *[save_result(one) if id(one) in own else save_input(one)
                         for one in self.to_save])

    def apply(self, *grads):
        """Return what the user's backward, or vjp, its other name, returns."""
        function = self._forward_cls
        if function.vjp is Function.vjp:
            return function.backward(self, *grads)
        if function.backward is not Function.backward:
            raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is "
                               "not allowed. You should only implement one of them.")
        return function.vjp(self, *grads)

    def gradients_as_tensors(self, grad, wanted=None):
        grads = [grad] if self._outputs is None else list(grad)
        if self.materialize_grads:
            grads = [wrap(np.zeros(*like)) if one is None and like is not None else one
                     for one, like in zip(grads, self.describe_outputs())]
        results = self.apply(*grads)
        results = results if isinstance(results, tuple) else (results,)
        expected = len(self._is_tensor)
        while len(results) > expected and results[-1] is None:
            results = results[:-1]
        if len(results) != expected:
            raise RuntimeError(f"function {self.name()} returned an incorrect number of gradients "
                               f"(expected {expected}, got {len(results)})")
        for i, (result, is_tensor) in enumerate(zip(results, self._is_tensor)):
            if is_tensor and result is not None and not isinstance(result, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type_name(result)})")
            if not is_tensor and result is not None:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different than None at position "
                    f"{i + 1}, but the corresponding forward input was not a Variable")
        return tuple([result for result, is_tensor in zip(results, self._is_tensor) if is_tensor])


FunctionCtx = Function._backward_cls = BackwardCFunction


# --- differentiating once -----------------------------------------------------------------------

def once_differentiable(backward):
    """Mark a ``backward`` that cannot be differentiated itself: doing so raises a RuntimeError.

    Nothing inside is recorded, so such a backward may use NumPy.
    """
    @functools.wraps(backward)
    def wrapped(ctx, *grads):
        with no_grad():
            results = backward(ctx, *grads)
        if not local.state.recording or not any([one is not None and one.requires_grad
                                                 for one in grads]):
            return results
        results = results if isinstance(results, tuple) else (results,)
        results = [one if one is None else one.detach() for one in results]
        leaves = [one if one is None else one.detach().requires_grad_() for one in results]
        node = Error(*edges_to(leaves), np.float32(0))
        describe_outputs(node, results)
        for nr, one in enumerate(results):
            if one is not None:
                set_history(one, node, nr)
        return tuple(results)
    return wrapped


class Error(Node):
    """The node of gradients that cannot be differentiated."""

    def name(self):
        return "torch::autograd::Error"

    def gradients_as_tensors(self, grad, wanted=None):
        raise RuntimeError("trying to differentiate twice a function that was marked with "
                           "@once_differentiable")
