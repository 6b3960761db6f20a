"""Look at the recorded graph and hang functions on it: ``torch.autograd.graph``.

    y.grad_fn                               a Node: one recorded operation
    y.grad_fn.next_functions                its edges: where the gradients of its inputs go
    y.grad_fn(grad)                         call it: gradients of outputs to gradients of inputs
    y.grad_fn.register_hook(hook)           call a function each time a backward pass has run it
    get_gradient_edge(y)                    the node and the number of its output, as a pair
"""
import weakref
from functools import partial

from ..state import local
from ..tensor import Tensor, bump_version
from .gradients import GradientEdge
from .hooks import RemovableHandle
from .node import Node, gradient_node
from .saved_hooks import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)

__all__ = ["GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks",
           "get_gradient_edge", "increment_version", "register_multi_grad_hook", "save_on_cpu",
           "saved_tensors_hooks"]

GradientEdge.__module__ = "torch.autograd.graph"


def get_gradient_edge(tensor):
    """Return the edge of the graph along which the gradient of the tensor arrives.

    It can stand for the tensor in ``backward`` and ``grad``, and does not keep its numbers alive.
    Raises RuntimeError if the tensor does not require a gradient.
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not "
                           "require gradients")
    return GradientEdge(gradient_node(tensor), tensor.output_nr)


def increment_version(tensors):
    """Count a write to one or several tensors that was not seen, as through ``tensor.numpy()``."""
    for one in [tensors] if isinstance(tensors, Tensor) else tensors:
        if not isinstance(one, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a "
                               "tensor")
        if not one.is_inference():          # such a tensor has no version
            bump_version(one)


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Call `fn` in each backward pass that computes gradients of some of the tensors.

    With mode "all", it is called when the last of them is computed, with a list of the gradients,
    None for one that the pass does not compute.  With mode "any", it is called with the first.
    Returns a handle, whose ``remove()`` takes the hooks off.  Raises ValueError for another mode.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":
        tensors = [one for one in tensors if one.requires_grad]
    nodes = [gradient_node(one) for one in tensors]
    if mode == "all" and None in nodes:
        raise AssertionError("Expected gradient function to be set")
    passes = weakref.WeakKeyDictionary()        # backward pass -> the gradients computed so far

    def hook(i, grad):
        current = local.state.current_pass
        gradients = passes.setdefault(current, {})
        gradients[i] = grad
        if mode == "any" and len(gradients) == 1:
            fn(grad)
        elif mode == "all" and len(gradients) == sum(map(current.will_execute, nodes)):
            del passes[current]
            fn([gradients.get(i) for i in range(len(nodes))])

    return _MultiHandle([one.register_hook(partial(hook, i)) for i, one in enumerate(tensors)])


class _MultiHandle(RemovableHandle):
    """Takes off all the hooks of one registration."""
    def __init__(self, handles):
        self.handles = handles

    def remove(self):
        for handle in self.handles:
            handle.remove()
