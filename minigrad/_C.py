"""The few names under ``torch._C`` that programs about the engine ask for; loaded when they do.

Nothing in the package stands on this module.
"""
from __future__ import annotations

import itertools
import types
import weakref

from . import autograd
from .autograd.accumulate import AccumulateGrad, gradient_edge
from .autograd.function import call_node
from .autograd.grad_mode import is_grad_enabled
from .autograd.nodes import Node, TensorNode
from .state import local
from .tensor import Tensor

__all__ = ["is_grad_enabled"]


# --- the pass that is under way -----------------------------------------------------------------------------

_pass_ids, _next_id = weakref.WeakKeyDictionary(), itertools.count().__next__


def _get_current_graph_task_keep_graph() -> bool:
    """Whether the pass that is under way leaves the saved tensors where they are."""
    current = local.state.current_pass
    return True if current is None else current.keep_graph


# --- tensors ------------------------------------------------------------------------------------------------


def _unsafe_set_version_counter(tensors, versions):
    """Let the tensors count from other numbers on."""
    for tensor, version in zip(tensors, versions):
        if version < 0:
            raise RuntimeError(f"Cannot set a version_counter to a value below 0: {version}")
        tensor._get_counter().value = version


def _saved_tensors_hooks_is_enabled() -> bool:
    """Whether ``saved_tensors_hooks`` may be entered."""
    return local.state.hooks_disabled is None


# --- nodes to put into a graph ------------------------------------------------------------------------------

class UndefinedGradBackward(TensorNode):
    """Lets no gradient through."""

    __module__ = "builtins"
    __call__ = call_node

    def name(self):
        return "torch::autograd::UndefinedGradBackward"

    def on_tensors(self, grad, wanted=None):
        return (None,) * len(self.next_functions)


class Error(TensorNode):
    """Where a backward pass ends with an error."""

    __module__ = "builtins"
    __call__ = call_node
    __slots__ = ("message",)

    def name(self):
        return "torch::autograd::Error"

    def on_tensors(self, grad, wanted=None):
        raise RuntimeError(self.message)


class UndefinedGrad:
    """``UndefinedGrad()(x)`` is a copy of x to which no gradient comes back."""

    def __call__(self, tensor):
        return behind(UndefinedGradBackward, tensor, tensor.detach().clone())


class DelayedError:
    """``DelayedError(message, 1)(x)`` is x, until a backward pass comes by."""

    def __init__(self, message, num_inputs):
        self.message = message

    def __call__(self, tensor):
        result = behind(Error, tensor, tensor.detach())
        if result.grad_fn is not None:
            result.grad_fn.message = self.message
        return result


def behind(kind, tensor, result) -> Tensor:
    """`result` as what a new node of this kind made of the tensor."""
    if tensor.requires_grad and local.state.recording:
        result._requires_grad, result._node = True, kind((gradient_edge(tensor),), result._array)
    return result


_functions = types.SimpleNamespace(AccumulateGrad=AccumulateGrad, UndefinedGrad=UndefinedGrad,
                                   DelayedError=DelayedError)
_autograd = types.SimpleNamespace(
    SavedTensor=autograd.SavedTensor, _saved_tensors_hooks_is_enabled=_saved_tensors_hooks_is_enabled,
    _unsafe_set_version_counter=_unsafe_set_version_counter,
    _get_current_graph_task_keep_graph=_get_current_graph_task_keep_graph)
