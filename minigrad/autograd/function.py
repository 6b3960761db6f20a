"""Your own differentiable functions: subclass ``Function``, write ``forward`` and ``backward`` with tensors.

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            x, = ctx.saved_tensors
            return 2 * x * grad

    y = Square.apply(x)

The ``ctx`` that both get is the recorded node itself: ``y.grad_fn``.
"""
from __future__ import annotations

import functools
import inspect
import warnings
import weakref

import numpy as np

from ..errors import type_name
from ..state import local
from ..tensor import Tensor, wrap
from .accumulate import LOOSE_END, NO_EDGE, gradient_edge
from .anomaly_mode import anomaly, record_forward_trace
from .custom_results import attach_results
from .grad_mode import no_grad
from .nodes import BACKWARD_TWICE, Freed, TensorNode, next_sequence_nr
from .raw_saved import RawSavedTensor
from .saved import NOTHING, SavedResult
from .saving import keep_input, keep_result

LEGACY = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
    "function with static forward method. (Example: "
    "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)")

ONLY_ONCE = (
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the "
    "autograd.Function. Either access saved_tensors only once, or set clear_saved_tensors_on_access=False.")


class FunctionCtx:
    """What ``forward`` and ``backward`` share."""

    def save_for_backward(self, *tensors):
        """Keep tensors (or None) for ``backward``, which finds them in ``ctx.saved_tensors``.

        The last call counts.
        """
        self.to_save = tensors


    def mark_dirty(self, *args):
        """Say which inputs ``forward`` wrote in place; it must return them."""
        self.dirty_tensors = args


    def mark_non_differentiable(self, *args):
        """Say which outputs take no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value):
        """Whether ``backward`` gets zeros (True, as at first) or None for an output without a gradient."""
        if not isinstance(value, bool):
            raise TypeError("set_materialize_grads received an invalid combination of arguments - got (), "
                            "but expected (bool)")
        self.materialize_grads = value


class BackwardCFunction(TensorNode, FunctionCtx):
    """The node that ``apply`` records; each Function gets a subclass named after it."""

    undefined_gives_undefined = False
    _is_pure_view = False                   # forward takes a view, which may be taken again after a write
    _materialize_non_diff_grads = True      # zeros also for outputs that can have no gradient
    _forward_cls: type

    def __init__(self):
        self.sequence_nr = next_sequence_nr()
        self.next_functions, self._kept = (), None
        self._shape, self._dtype = (), np.dtype("float32")
        self._outputs = self._hooks = self._metadata = None
        self.to_save = self.dirty_tensors = self.non_differentiable = None
        self.materialize_grads = True
        self.needs_input_grad = ()
        if anomaly.enabled:
            record_forward_trace(self)

    def __repr__(self):
        return f"<{type(self).__module__}.{type(self).__name__} object at {id(self):#x}>"

    # what to_save kept, between forward and backward

    @property
    def saved_tensors(self):
        """The tensors that ``save_for_backward`` kept, each with its history."""
        if type(self._kept) is Freed:
            raise RuntimeError(BACKWARD_TWICE)
        if self._kept is ONLY_ONCE:
            raise RuntimeError(ONLY_ONCE)
        tensors = tuple([kept.shown(self) for kept in self._kept or ()])
        if self._forward_cls.clear_saved_tensors_on_access:
            self._kept = ONLY_ONCE
        return tensors


    @property
    def saved_variables(self):
        """The old name of ``saved_tensors``."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning,
                      stacklevel=2)
        return self.saved_tensors

    def _save(self, results):
        """Keep what save_for_backward was given; results without their history."""
        if self.to_save is None:
            return
        if not isinstance(self.to_save, tuple):
            raise RuntimeError("autograd internal error: to_save attribute is expected to be a tuple but is ")
        own = {id(result) for result, without in zip(results, self._takes_no_gradient)
               if isinstance(result, Tensor) and not without}
        saved = []
        for i, tensor in enumerate(self.to_save):
            if tensor is None:
                saved.append(NOTHING)
            elif not isinstance(tensor, Tensor):
                raise TypeError(f"save_for_backward can only save variables, but argument {i} is of type "
                                f"{type(tensor).__name__}")
            elif id(tensor) in own:
                saved.append(keep_result(tensor, tensor._output_nr))
                if tensor._view is not None and isinstance(saved[-1], SavedResult):
                    saved[-1].later_grad_fn = weakref.ref(tensor._node)     # of a view that forward wrote
            else:
                saved.append(keep_input(tensor))
        self._kept = tuple(saved)
        self.to_save = None

    # the backward pass

    def on_tensors(self, grad, wanted=None):
        grads = [grad] if self._outputs is None else list(grad)
        if self.materialize_grads:
            grads = [wrap(np.zeros(*like)) if g is None and like is not None
                     and (self._materialize_non_diff_grads or not without) else g
                     for g, like, without in zip(grads, self.describe_outputs(), self._takes_no_gradient)]
        results = self.apply(*grads)
        return self._checked(results if isinstance(results, tuple) else (results,))

    def apply(self, *grads):
        """What your backward makes of the gradients of the outputs, unchecked."""
        function = self._get_user_fn()
        return function(self, list(grads)) if self._forward_cls.boxed_grads_call else function(self, *grads)

    def _get_user_fn(self):
        """The user's backward, or vjp, its other name."""
        function = self._forward_cls
        if function.backward is not Function.backward and function.vjp is not Function.vjp:
            raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is not allowed. "
                               "You should only implement one of them.")
        return function.vjp if function.vjp is not Function.vjp else function.backward

    def _checked(self, results):
        """One gradient for each argument of forward; None where that is no tensor, and Nones may follow."""
        expected = len(self._is_tensor)
        if len(results) > expected and all([r is None for r in results[expected:]]):
            results = results[:expected]
        if len(results) != expected:
            raise RuntimeError(f"function {self.name()} returned an incorrect number of gradients (expected "
                               f"{expected}, got {len(results)})")
        gradients = []
        for i, (result, is_tensor) in enumerate(zip(results, self._is_tensor)):
            if is_tensor:
                if result is not None and not isinstance(result, Tensor):
                    raise RuntimeError(f"expected Variable or None (got {type_name(result)})")
                gradients.append(result)        # hooks see it also where no edge leads on
            elif result is not None:
                raise RuntimeError(f"function {self.name()} returned a gradient different than None at "
                                   f"position {i + 1}, but the corresponding forward input was not a "
                                   "Variable")
        return tuple(gradients)


class FunctionMeta(type):
    """Gives every Function the class of its nodes."""

    def __init__(cls, name, bases, attrs):
        cls._backward_cls = type(f"{name}Backward", (BackwardCFunction,),
                                 {"_forward_cls": cls, "__module__": "torch.autograd.function"})
        super().__init__(name, bases, attrs)


class Function(metaclass=FunctionMeta):
    """Base class of custom differentiable functions; see the head of this file."""

    generate_vmap_rule = False
    # ctx.saved_tensors may be asked for once, and lets go of them then
    clear_saved_tensors_on_access = False
    boxed_grads_call = False                # backward gets one list of gradients, and may empty it as it goes

    def __init__(self, *args, **kwargs):
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you "
            "should invoke them on the class itself. Instantiating an autograd function will raise an error "
            "in a future version of PyTorch.", DeprecationWarning, stacklevel=2)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(LEGACY)

    @staticmethod
    def forward(*args, **kwargs):
        """Compute the result.  ``forward(ctx, *args)``, or ``forward(*args)`` beside a ``setup_context``."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Fill ``ctx`` after ``forward(*inputs)`` gave ``output``."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """From the gradients of forward's results those of its arguments: for each a tensor or None."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use "
            "it with backward mode AD.")

    vjp = backward


    @classmethod
    def apply(cls, *args, **kwargs):
        """Call ``forward`` and, if an argument takes a gradient, record it as one node."""
        separate_setup = cls.setup_context is not Function.setup_context
        if separate_setup:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        if kwargs:
            args = positional(cls.forward, args, kwargs, skip=0 if separate_setup else 1)
        inputs = [a for a in args if isinstance(a, Tensor)]
        ctx = cls._backward_cls()
        ctx.needs_input_grad = tuple([isinstance(a, Tensor) and a.requires_grad for a in args])
        ctx._is_tensor = [isinstance(a, Tensor) for a in args]
        executable = local.state.recording and True in ctx.needs_input_grad
        if executable:
            ctx.next_functions = tuple([gradient_edge(tensor) for tensor in inputs])
        with no_grad():
            if separate_setup:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args)
        results = list(output) if isinstance(output, tuple) else [output]
        attach_results(ctx, results, inputs, executable, separate_setup)
        if executable:
            ctx._save(results)
        ctx.to_save = ctx.dirty_tensors = ctx.non_differentiable = None
        return tuple(results) if isinstance(output, tuple) else results[0]


class InplaceFunction(Function):
    """Kept for old code: remembers a flag."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


# --- differentiating once -----------------------------------------------------------------------------------

def once_differentiable(backward):
    """Mark a ``backward`` that is not itself differentiable: to go through it a second time is an error."""
    @functools.wraps(backward)
    def wrapped(ctx, *grads, **kwargs):
        with no_grad():
            results = backward(ctx, *grads, **kwargs)
        if not local.state.recording or not any([isinstance(g, Tensor) and g.requires_grad for g in grads]):
            return results
        several = isinstance(results, tuple)
        guarded = guard(results if several else (results,))
        return guarded if several else guarded[0]
    return wrapped


def guard(tensors):
    """The tensors as results of a node that refuses to be gone through."""
    tensors = [one if one is None else one.detach().requires_grad_() for one in tensors]
    node = Error(tensors)
    for number, one in enumerate(tensors):
        if one is not None:
            one._node, one._output_nr = node, number
    return tuple(tensors)


class Error(TensorNode):
    """Where differentiating twice would go through a once_differentiable backward."""

    def __init__(self, tensors):
        arrays = [np.zeros(()) if one is None else one._array for one in tensors]
        super().__init__(tuple([NO_EDGE if one is None else gradient_edge(one.detach().requires_grad_())
                                for one in tensors]), arrays[0])
        if len(arrays) > 1:
            self._outputs = tuple([(array.shape, array.dtype) for array in arrays])

    def name(self):
        return "torch::autograd::Error"

    def on_tensors(self, grad, wanted=None):
        raise RuntimeError("trying to differentiate twice a function that was marked with "
                           "@once_differentiable")


def call_node(node, *grads):
    """Call a node as a function: gradients of its outputs to gradients of its inputs, as tensors."""
    count = len(node.describe_outputs())
    if len(grads) != count:
        raise TypeError(f"expected {count} arguments, got {len(grads)} instead")
    for i, grad in enumerate(grads):
        if grad is not None and not isinstance(grad, Tensor):
            raise TypeError(f"argument {i} is not a Variable")
    if node.undefined_gives_undefined and all([grad is None for grad in grads]):
        outcome = (None,) * len(node.next_functions)
    else:
        outcome = node.on_tensors(grads[0] if node._outputs is None else list(grads))
        outcome = [None if edge is LOOSE_END else one for one, edge in zip(outcome, node.next_functions)]
    return outcome[0] if len(outcome) == 1 else tuple(outcome)
