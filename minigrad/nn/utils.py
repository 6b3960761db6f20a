"""Gradients made smaller before a step."""
from ..autograd.grad_mode import no_grad
from ..creation import tensor
from ..ops.joining import stack
from ..tensor import Tensor
from ..vocabulary import offer_names

__all__ = ["clip_grad_norm_"]
__getattr__, __dir__ = offer_names(__name__, __all__)


@no_grad()
def clip_grad_norm_(parameters, max_norm, norm_type=2.0):
    """Scale all gradients together, so that as one vector they have at most this norm.

        loss.backward()
        norm_before = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
    """
    grads = gradients_of(parameters)
    if not grads:
        return tensor(0.0)
    norms = [grad.norm(norm_type) for grad in grads]
    total_norm = stack(norms).norm(norm_type)
    factor = (max_norm / (total_norm + 1e-6)).clamp(max=1.0)
    for grad in grads:
        grad.mul_(factor)
    return total_norm


def gradients_of(parameters):
    """Return the gradients of one or of several parameters that have one."""
    if isinstance(parameters, Tensor):
        parameters = [parameters]
    return [param.grad for param in parameters if param.grad is not None]
