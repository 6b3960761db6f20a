"""The recorded graph, as ``torch.autograd.graph`` lets a program look at it.

    y.grad_fn                           a Node: one recorded operation
    y.grad_fn.next_functions            its edges: where the gradients of its inputs go
    y.grad_fn(grad)                     call it: gradients of outputs to those of inputs
    y.grad_fn.register_hook(hook)       call a function after each pass that has run it
    GradientEdge                        the node and the number of its output, as a pair
"""
from ..vocabulary import offer_names
from .gradients import GradientEdge
from .node import Node, recording_observers  # noqa: F401 (minigrad.viz uses it)
from .saved import saved_tensors_hooks

GradientEdge.__module__ = "torch.autograd.graph"


__all__ = ["GradientEdge", "Node", "saved_tensors_hooks"]
__getattr__, __dir__ = offer_names(__name__, __all__)
