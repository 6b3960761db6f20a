"""``once_differentiable``: for a ``backward`` that may compute with NumPy."""
from functools import wraps

from ..state import local
from .accumulate import edges_to
from .grad_mode import no_grad
from .node import Node

DIFFERENTIATED_TWICE = (
    "trying to differentiate twice a function that was marked with "
    "@once_differentiable")


def once_differentiable(backward):
    """Mark a ``backward`` as not recorded; to differentiate its result is an error."""
    @wraps(backward)
    def decorated(ctx, *grads):
        with no_grad():
            results = backward(ctx, *grads)
        takes_gradient = [grad is not None and grad.requires_grad for grad in grads]
        if not local.state.recording or True not in takes_gradient:
            return results
        if not isinstance(results, tuple):
            results = (results,)
        return tuple([None if result is None else refusing(result)
                      for result in results])
    return decorated


def refusing(tensor):
    """Return a tensor with the same numbers, through which no gradient can pass."""
    result = tensor.detach()
    leaf = tensor.detach().requires_grad_()     # a child, so that Error is no leaf
    result._requires_grad = True
    result._node = Error(*edges_to([leaf]), result._array)
    return result


class Error(Node):
    """The node of a gradient that cannot be differentiated; the name is PyTorch's."""

    def name(self):
        return "torch::autograd::Error"

    def _gradients_of_tensors(self, grad, wanted=None):
        raise RuntimeError(DIFFERENTIATED_TWICE)
