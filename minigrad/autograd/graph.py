"""Looking at the recorded graph and hanging things on it: ``torch.autograd.graph``.

``saved_tensors_hooks`` decides in what form nodes keep their tensors; ``register_multi_grad_hook`` waits for
several gradients; ``GradientEdge`` names a place in the graph without holding the tensor that made it.
"""
from __future__ import annotations

import abc
import functools
import threading
import weakref
from collections.abc import Iterable

from ..dtypes import BY_NUMPY
from ..placement import CPU
from ..size import Size
from ..tensor import Tensor, bump_version
from . import nodes
from .accumulate import NO_EDGE, AccumulateGrad, gradient_edge
from .differentiable import OperationNode
from .function import BackwardCFunction, Error, call_node
from .grad_mode import enable_grad, local
from .gradients import GradientEdge
from .hooks import RemovableHandle, register_hook_dict, register_node_hook, register_node_prehook
from .inplace import CopySlices
from .saved_hooks import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)


def input_metadata(self):
    """What the gradient of each output of the node looks like."""
    if isinstance(self, AccumulateGrad):        # whatever dtype its gradient is to have
        return InputMetadata(self.variable.shape, self.variable.dtype),
    return tuple([InputMetadata(Size(shape), BY_NUMPY[dtype])
                  for shape, dtype in filter(None, self.describe_outputs())])


class InputMetadata:
    """The looks of a gradient, as far as they can differ here."""

    device, is_nested_tensor, is_cpp_nested_tensor = CPU, False, False

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype

    def __repr__(self):
        return f"<torch._C._autograd._InputMetadata object at {id(self):#x}>"


for _kind in (AccumulateGrad, CopySlices, OperationNode, Error):    # custom Functions' are not called
    _kind.__call__ = call_node
nodes.Node.register_hook = register_node_hook
nodes.Node.register_prehook = register_node_prehook
nodes.Node._register_hook_dict = register_hook_dict
nodes.Node._input_metadata = property(input_metadata)


class Node(abc.ABC):
    """What every recorded operation can do; all of them count as its instances."""

    @abc.abstractmethod
    def name(self) -> str:
        """The name of the operation."""

    @property
    @abc.abstractmethod
    def next_functions(self):
        """For each input, (node, which of its outputs) to which its gradient goes."""

    @abc.abstractmethod
    def metadata(self) -> dict:
        """A dictionary for notes."""

    @property
    @abc.abstractmethod
    def _input_metadata(self):
        pass

    @abc.abstractmethod
    def register_hook(self, fn):
        """Call `fn(grad_inputs, grad_outputs)` after the node has run."""

    @abc.abstractmethod
    def register_prehook(self, fn):
        """Call `fn(grad_outputs)` before the node runs."""

    @abc.abstractmethod
    def _register_hook_dict(self, tensor):
        pass

    @abc.abstractmethod
    def _sequence_nr(self) -> int:
        pass


Node.register(nodes.Node)


def get_gradient_edge(tensor) -> GradientEdge:
    """The place in the graph at which the tensor's gradient arrives.

    Raises:
        RuntimeError: the tensor requires no gradient.
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require "
                           "gradients")
    node, nr = gradient_edge(tensor)
    if node is None:
        raise AssertionError("Expected gradient function to be set")
    token = None
    if isinstance(node, BackwardCFunction):
        with enable_grad():
            token = tensor.view_as(tensor).grad_fn
    return GradientEdge(node, nr, token)


def increment_version(tensor) -> None:
    """Count a write to the tensor (or tensors) that minigrad could not see, such as one through NumPy."""
    if not isinstance(tensor, (Tensor, Iterable)):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for one in (tensor,) if isinstance(tensor, Tensor) else tensor:
        if not isinstance(one, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
        if not one.is_inference():      # such tensors have no version
            bump_version(one)


class unsafe_preserve_version_counter:
    """Writes within the block to these tensors are not counted: nobody will notice those that do harm."""

    def __init__(self, tensors):
        self.tensors = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
        self.versions = [tensor._version for tensor in self.tensors]

    def __enter__(self):
        pass

    def __exit__(self, *exc):
        for tensor, version in zip(self.tensors, self.versions):
            tensor._get_counter().value = version


class _MultiHandle(RemovableHandle):
    """Takes off the several hooks that one registration made."""

    def __init__(self, handles):
        self.handles = tuple(handles)

    def remove(self):
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Call `fn` in each backward pass when all of the gradients (mode "all", with a list of them) or the
    first of them (mode "any", with it alone) have been computed.

    Returns:
        A handle with ``remove()``.

    Raises:
        ValueError: another mode.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    return _wait_for_all(tensors, fn) if mode == "all" else _take_first(tensors, fn)


def _wait_for_all(tensors, fn):
    # pass -> [how many to come, the gradients]
    lock, passes = threading.Lock(), weakref.WeakKeyDictionary()
    edges = []
    for tensor in tensors:
        edges.append(gradient_edge(tensor) if tensor.requires_grad else NO_EDGE)
        if edges[-1][0] is None:
            raise AssertionError("Expected gradient function to be set")

    def make_hook(i):
        def hook(grad):
            with lock:
                current = local.state.current_pass
                if current not in passes:
                    passes[current] = [sum([will_run(edge, current) for edge in edges]), [None] * len(edges)]
                progress = passes[current]
                progress[0] -= 1
                progress[1][i] = grad
            if progress[0] == 0:
                fn(progress[1])
                del passes[current]         # a gradient that comes later begins anew
        return hook

    return _MultiHandle([tensor.register_hook(make_hook(i)) for i, tensor in enumerate(tensors)])


def _take_first(tensors, fn):
    lock, seen = threading.Lock(), weakref.WeakSet()

    @functools.wraps(fn)
    def hook(grad):
        with lock:
            current = local.state.current_pass
            if current in seen:
                return
            seen.add(current)
        fn(grad)

    return _MultiHandle([tensor.register_hook(hook) for tensor in tensors if tensor.requires_grad])


def will_run(edge, current):
    """Whether the pass that is under way reaches this place."""
    reached = current.will_reach(edge[0])
    if (reached and isinstance(edge[0], AccumulateGrad) and current.captured is not None
            and edge in current.captured):
        raise RuntimeError("A leaf node was passed to _will_engine_execute_node but we are currently running "
                           "autograd.grad(). This is currently not supported.")
    return reached


for _public in (Node, GradientEdge, _MultiHandle):
    _public.__module__ = "torch.autograd.graph"         # as messages and printed objects name it

__all__ = ["saved_tensors_hooks", "save_on_cpu", "disable_saved_tensors_hooks", "register_multi_grad_hook",
           "allow_mutation_on_saved_tensors", "Node", "GradientEdge", "get_gradient_edge",
           "increment_version"]
