"""The recorded graph, as ``torch.autograd.graph`` lets a program look at it.

    y.grad_fn                           a Node: one recorded operation
    y.grad_fn.next_functions            its edges: where the gradients of its inputs go
    y.grad_fn(grad)                     call it: gradients of outputs to those of inputs
    y.grad_fn.register_hook(hook)       call a function after each pass that has run it
    get_gradient_edge(y)                the node and the number of its output, as a pair
"""
from ..vocabulary import offer_names
from .accumulate import gradient_node
from .node import Node, recording_observers  # noqa: F401 (minigrad.viz uses it)
from .run_backward import GradientEdge
from .saved_hooks import saved_tensors_hooks

NO_EDGE = (
    "It is not possible to get the gradient edge for a Tensor that does not require "
    "gradients")

GradientEdge.__module__ = "torch.autograd.graph"


def get_gradient_edge(tensor):
    """Return the edge of the graph along which the gradient of the tensor arrives.

    It can stand for the tensor in ``backward`` and ``grad``, and does not keep its
    numbers alive.  Raises RuntimeError if the tensor does not require a gradient.
    """
    if not tensor.requires_grad:
        raise RuntimeError(NO_EDGE)
    return GradientEdge(gradient_node(tensor)._shown(), tensor.output_nr)


__all__ = ["GradientEdge", "Node", "get_gradient_edge", "saved_tensors_hooks"]
__getattr__, __dir__ = offer_names(__name__, __all__)
