"""Looking at the recorded graph and hanging things on it: ``torch.autograd.graph``.

``saved_tensors_hooks`` decides in what form nodes keep their tensors; ``register_multi_grad_hook`` waits for
several gradients; ``GradientEdge`` names a place in the graph without holding the tensor that made it.
"""
from __future__ import annotations

import functools
import threading
import weakref
from collections import namedtuple
from collections.abc import Iterable

from ..dtypes import BY_NUMPY
from ..placement import CPU
from ..size import Size
from ..tensor import Tensor
from .function import BackwardCFunction, call_node
from .grad_mode import ContextDecorator, enable_grad, local
from .gradients import GradientEdge
from .hooks import RemovableHandle, register_hook_dict, register_node_hook, register_node_prehook
from .inplace import bump_version
from .nodes import AccumulateGrad, Node, gradient_edge
from .saving import hooks_in_force


def input_metadata(self):
    """What the gradient of each output of the node looks like."""
    return [InputMetadata(Size(shape), BY_NUMPY[dtype], CPU, False, False)
            for shape, dtype in filter(None, self.describe_outputs())]


InputMetadata = namedtuple("InputMetadata", "shape dtype device is_nested_tensor is_cpp_nested_tensor")

Node.__call__ = call_node
Node.register_hook = register_node_hook
Node.register_prehook = register_node_prehook
Node._register_hook_dict = register_hook_dict
Node._input_metadata = property(input_metadata)


def get_gradient_edge(tensor) -> GradientEdge:
    """The place in the graph at which the tensor's gradient arrives.

    Raises:
        RuntimeError: the tensor requires no gradient.
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require "
                           "gradients")
    node, nr = gradient_edge(tensor)
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


class saved_tensors_hooks:
    """Within the block, every tensor that a node saves goes through `pack_hook`, and comes back by
    `unpack_hook`."""

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        state = local.state
        if state.hooks_disabled:
            raise RuntimeError(state.hooks_disabled)
        state.saved_tensors_hooks.append((self.pack_hook, self.unpack_hook))
        hooks_in_force.append(state)

    def __exit__(self, *exc):
        local.state.saved_tensors_hooks.pop()
        hooks_in_force.remove(local.state)


class save_on_cpu(saved_tensors_hooks):
    """Keep saved tensors in main memory, where they are anyway: a copy is made, as PyTorch does."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(lambda tensor: tensor.clone(), lambda packed: packed)


class disable_saved_tensors_hooks(ContextDecorator):
    """Within the block, entering ``saved_tensors_hooks`` is the error `error_message`."""

    def __init__(self, error_message):
        self.error_message = error_message

    def __enter__(self):
        state = local.state
        if state.saved_tensors_hooks:
            raise RuntimeError(self.error_message)
        self.prev, state.hooks_disabled = state.hooks_disabled, self.error_message

    def __exit__(self, *exc):
        local.state.hooks_disabled = self.prev

    def clone(self):
        return type(self)(self.error_message)


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
    edges = [gradient_edge(tensor) for tensor in tensors]
    if any([node is None for node, _ in edges]):
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
    if isinstance(edge[0], AccumulateGrad) and current.captured is not None and edge in current.captured:
        raise RuntimeError("A leaf node was passed to _will_engine_execute_node but we are currently running "
                           "autograd.grad(). This is currently not supported.")
    return current.will_reach(edge[0])
