"""The edge that stands for a tensor."""
from ..autograd.accumulate import gradient_node
from ..autograd.graph import GradientEdge

NO_EDGE = (
    "It is not possible to get the gradient edge for a Tensor that does not require "
    "gradients")


def get_gradient_edge(tensor):
    """Return the edge of the graph along which the gradient of the tensor arrives.

    It can stand for the tensor in ``backward`` and ``grad``, and does not keep its
    numbers alive.  Raises RuntimeError if the tensor does not require a gradient.
    """
    if not tensor.requires_grad:
        raise RuntimeError(NO_EDGE)
    return GradientEdge(gradient_node(tensor)._shown(), tensor.output_nr)
