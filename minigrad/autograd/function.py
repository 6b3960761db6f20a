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

import numpy as np

from ..tensor import Tensor, wrap
from .grad_mode import local, no_grad
from .inplace import CUSTOM_FUNCTION, LEAF, MULTI_OUTPUT, make_view, rebase_history
from .nodes import BACKWARD_TWICE, FREED, SavedResult, TensorNode, _next_sequence_nr, gradient_edge
from .saving import NOTHING, hooks_in_force, keep_input, keep_result

LEGACY = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function with "
    "static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)")

SAVED_INPUT_RETURNED = (
    "A input that has been returned as-is as output is being saved for backward. This is not supported if you override "
    "setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or setup ctx inside "
    "the forward function itself.")

VIEW_AND_SEVERAL = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more than "
    "one Tensor. This is not supported by the current autograd engine. You should either make sure the input is not a "
    "view (using .clone() for example) or make your Function only return one Tensor (potentially splitting it into two "
    "Functions: one doing the inplace that returns a single Tensor and a second one that does the other operations). You "
    "can ask on the forum https://discuss.pytorch.org/ if you need help to do this change.")


class FunctionCtx:
    """What ``forward`` and ``backward`` share."""

    def save_for_backward(self, *tensors):
        """Keep tensors (or None) for ``backward``, which finds them in ``ctx.saved_tensors``.  Call it once."""
        self.to_save = tensors

    def save_for_forward(self, *tensors):
        """Keep tensors for ``jvp``; accepted so that functions written for both modes run."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *args):
        """Say which inputs ``forward`` wrote in place; it must return them."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args):
        """Say which outputs take no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value):
        """Whether ``backward`` gets zeros (True, the default) or None for an output that no gradient reached."""
        self.materialize_grads = value


class FunctionNode(TensorNode, FunctionCtx):
    """The node that ``apply`` records; each Function gets a subclass named after it."""

    undefined_gives_undefined = False
    _forward_cls: type

    def __init__(self):
        self.sequence_nr = _next_sequence_nr()
        self.next_functions, self.saved = (), None
        self.shape, self.dtype = (), np.dtype("float32")
        self.outputs = self.hooks = self._metadata = None
        self.to_save = self.dirty_tensors = self.non_differentiable = None
        self.materialize_grads = True
        self.needs_input_grad = ()

    # what to_save kept, between forward and backward

    @property
    def saved_tensors(self):
        """The tensors that ``save_for_backward`` kept, each with its history."""
        if self.saved is FREED:
            raise RuntimeError(BACKWARD_TWICE)
        return tuple([kept.unpack(self) for kept in self.saved or ()])

    saved_variables = saved_tensors

    def _save(self, results):
        """Turn what save_for_backward was given into saved tensors; results are kept without their history."""
        if self.to_save is None:
            return
        numbers = {id(result): nr for nr, result in enumerate(results)
                   if isinstance(result, Tensor) and result._grad_fn is self}
        saved = []
        for i, tensor in enumerate(self.to_save):
            if tensor is None:
                saved.append(NOTHING)
            elif not isinstance(tensor, Tensor):
                raise TypeError(f"save_for_backward can only save variables, but argument {i} is of type "
                                f"{type(tensor).__name__}")
            elif id(tensor) in numbers:
                saved.append(keep_result(tensor, tensor._output_nr))
            else:
                saved.append(keep_input(tensor))
        self.saved = tuple(saved)
        self.to_save = None

    def on_tensors(self, grad, wanted=None):
        grads = [grad] if self.outputs is None else list(grad)
        if self.materialize_grads:
            described = ((self.shape, self.dtype),) if self.outputs is None else self.outputs
            grads = [wrap(np.zeros(*like)) if g is None and like is not None else g for g, like in zip(grads, described)]
        results = self._backward()(self, *grads)
        return self._checked(results if isinstance(results, tuple) else (results,))

    def _backward(self):
        """The user's backward, or vjp, its other name."""
        function = self._forward_cls
        if function.backward is not Function.backward and function.vjp is not Function.vjp:
            raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should "
                               "only implement one of them.")
        return function.vjp if function.vjp is not Function.vjp else function.backward

    def _checked(self, results):
        """One gradient for each tensor among forward's arguments; None for all others, and None may follow."""
        expected = len(self._is_tensor)
        if len(results) > expected and all(r is None for r in results[expected:]):
            results = results[:expected]
        if len(results) != expected:
            raise RuntimeError(f"function {self.name()} returned an incorrect number of gradients (expected {expected}, "
                               f"got {len(results)})")
        gradients = []
        for i, (result, is_tensor) in enumerate(zip(results, self._is_tensor)):
            if is_tensor:
                if result is not None and not isinstance(result, Tensor):
                    raise TypeError(f"expected Variable or None (got {type(result).__name__})")
                gradients.append(result)
            elif result is not None:
                raise RuntimeError(f"function {self.name()} returned a gradient different than None at position "
                                   f"{i + 1}, but the corresponding forward input was not a Variable")
        return tuple(gradients)

    def __call__(self, *grads):
        return call_node(self, *grads)


class FunctionMeta(type):
    """Gives every Function the class of its nodes."""

    def __init__(cls, name, bases, attrs):
        cls._backward_cls = type(f"{name}Backward", (FunctionNode,), {"_forward_cls": cls, "__module__": cls.__module__})
        super().__init__(name, bases, attrs)


class Function(metaclass=FunctionMeta):
    """Base class of custom differentiable functions; see the head of this file."""

    generate_vmap_rule = False

    def __init__(self, *args, **kwargs):
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should invoke "
            "them on the class itself. Instantiating an autograd function will raise an error in a future version of "
            "PyTorch.", DeprecationWarning, stacklevel=2)

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
        """The gradients of forward's arguments from those of its results: a tensor or None for each argument."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD.")

    vjp = backward

    @classmethod
    def apply(cls, *args, **kwargs):
        """Call ``forward`` and, if an argument takes a gradient, record it as one node."""
        separate_setup = cls.setup_context is not Function.setup_context
        if separate_setup:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, {}
        if kwargs:
            raise TypeError("apply() takes no keyword arguments")
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
        if executable:
            attach_results(ctx, results, inputs, separate_setup)
            ctx._save(results)
        else:
            results = [detached_if_input(ctx, r, inputs) for r in results]
            ctx.to_save = None
        ctx.dirty_tensors = ctx.non_differentiable = None
        return tuple(results) if isinstance(output, tuple) else results[0]


def detached_if_input(ctx, result, inputs):
    """Without a graph, an input that is returned unchanged comes back as an alias."""
    dirty = ctx.dirty_tensors or ()
    if any(result is one for one in inputs) and not any(result is one for one in dirty):
        if result._requires_grad:
            return result.detach()
        with no_grad():
            return result.view_as(result)
    return result


def attach_results(ctx, results, inputs, separate_setup):
    """Make the tensors among `results` (which is changed) the outputs of `ctx`, as its marks say."""
    dirty = list(ctx.dirty_tensors or ())
    without_gradient = {id(t) for t in ctx.non_differentiable or ()}
    to_save = {id(t) for t in ctx.to_save or () if t is not None}
    count = len(results)
    for one in dirty:
        if not any(one is result for result in results):
            raise RuntimeError("Some elements marked as dirty during the forward method were not returned as output. The "
                               "inputs that are modified inplace must all be outputs of the Function.")
    described, differentiable = [], 0
    for nr, result in enumerate(results):
        if not isinstance(result, Tensor):
            described.append(None)
            continue
        is_input = any(result is one for one in inputs)
        is_dirty = any(result is one for one in dirty)
        if id(result) in without_gradient or result._array.dtype.kind != "f":
            described.append(None)
            if result.requires_grad and (is_input or result._view is None):
                results[nr] = result.detach()
            continue
        described.append((result._array.shape, result._array.dtype))
        if ctx.shape == () and differentiable == 0:
            ctx.shape, ctx.dtype = described[-1]
        differentiable += 1
        saved_too_late = separate_setup and id(result) in to_save
        if is_dirty:
            take_over_written(ctx, result, nr, is_input, count)
        elif is_input:
            if saved_too_late:
                raise RuntimeError(SAVED_INPUT_RETURNED)
            with no_grad():
                alias = result.view_as(result)
            set_history(alias, ctx, nr)
            results[nr] = alias
        else:
            set_history(result, ctx, nr)
        view = results[nr]._view
        if view is not None and not (is_input and is_dirty):
            view.origin, view.version = CUSTOM_FUNCTION, results[nr]._counter.value
    if count > 1:
        ctx.outputs = tuple(described)
        if differentiable > 1:
            for result in results:
                if isinstance(result, Tensor) and result._view is not None:
                    result._view.origin = MULTI_OUTPUT


def set_history(tensor, node, nr):
    tensor._requires_grad, tensor._grad_fn, tensor._output_nr = True, node, nr


def take_over_written(ctx, result, nr, is_input, count):
    """An output that forward wrote in place continues the history of what it was."""
    if result._requires_grad and result.is_leaf:
        raise RuntimeError(LEAF.replace("is being used", "has been used"))
    if not is_input:
        warnings.warn("Only input Tensors should be given to ctx.mark_dirty(). If a Tensor is not an input, there is no "
                      "need to pass it to mark_dirty().", UserWarning, stacklevel=4)
    if result._view is not None and count > 1:
        raise RuntimeError(VIEW_AND_SEVERAL)
    result._grad = None
    rebase_history(result, ctx)
    if result._view is None:
        result._output_nr = nr


def once_differentiable(backward):
    """Mark a ``backward`` that is not itself made of differentiable operations: differentiating it is an error."""
    @functools.wraps(backward)
    def wrapped(ctx, *grads):
        with no_grad():
            results = backward(ctx, *grads)
        if not local.state.recording:
            return results
        if not any(isinstance(g, Tensor) and g.requires_grad for g in grads) and not any(
                isinstance(t, Tensor) and t.requires_grad for t in ctx.saved_tensors):
            return results
        several = isinstance(results, tuple)
        tensors = [DelayedError.apply(r.detach().requires_grad_()) if isinstance(r, Tensor) else r
                   for r in (results if several else (results,))]
        return tuple(tensors) if several else tensors[0]
    return wrapped


class DelayedError(Function):
    """Passes values through; differentiating it is the error of `once_differentiable`."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


def call_node(node, *grads):
    """Call a node as a function: gradients of its outputs to gradients of its inputs, as tensors."""
    outcome = node.on_tensors(grads[0] if node.outputs is None else list(grads))
    return outcome[0] if len(outcome) == 1 else tuple(outcome)
