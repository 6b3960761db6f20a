"""Gradients made smaller before a step, and parameters as one long vector."""
from ..autograd.grad_mode import no_grad
from ..creation import tensor
from ..errors import closed
from ..ops.joining import cat, stack
from ..tensor import Tensor

__all__ = ["clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "vector_to_parameters"]
__getattr__, __dir__ = closed(__name__, __all__)


@no_grad()
def clip_grad_norm_(parameters, max_norm, norm_type=2.0):
    """Scale all gradients together, in place, so that as one vector they have at most this norm.

        loss.backward()
        norm_before = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
    """
    grads = gradients_of(parameters)
    norms = [grad.norm(norm_type) for grad in grads]
    total_norm = stack(norms).norm(norm_type) if norms else tensor(0.0)
    factor = (max_norm / (total_norm + 1e-6)).clamp(max=1.0)
    for grad in grads:
        grad.mul_(factor)
    return total_norm


@no_grad()
def clip_grad_value_(parameters, clip_value):
    """Bring every number of every gradient into [-clip_value, clip_value], in place."""
    for grad in gradients_of(parameters):
        grad.clamp_(min=-clip_value).clamp_(max=clip_value)     # two writes, as in PyTorch


def gradients_of(parameters):
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    return [param.grad for param in parameters if param.grad is not None]


def parameters_to_vector(parameters):
    """Return all parameters joined in one vector, through which gradients flow."""
    return cat([param.view(-1) for param in parameters])


def vector_to_parameters(vec, parameters):
    """Make each parameter the view of its part of the vector."""
    parameters = list(parameters)
    for param, part in zip(parameters, vec.split([param.numel() for param in parameters])):
        param.data = part.view_as(param).data
