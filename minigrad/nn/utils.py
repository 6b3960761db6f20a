"""Gradients made smaller before a step."""
from ..autograd.grad_mode import no_grad
from ..creation import tensor
from ..ops.joining import stack
from ..tensor import Tensor
from ..vocabulary import offer_names

__all__ = ["clip_grad_norm_"]
__getattr__, __dir__ = offer_names(__name__, __all__)


@no_grad()
def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False,
                    foreach=None):
    """Scale all gradients together, so that as one vector they have at most this norm.

        loss.backward()
        norm_before = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()

    With `error_if_nonfinite`, raises RuntimeError if the norm is infinite or nan.
    foreach: another way to compute in PyTorch, with the same result.
    """
    norm_type = float(norm_type)
    grads = gradients_of(parameters)
    if not grads:
        return tensor(0.0)
    norms = [grad.norm(norm_type) for grad in grads]
    total_norm = stack(norms).norm(norm_type)
    if error_if_nonfinite and not total_norm.isfinite():
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is "
            "non-finite, so it cannot be clipped. To disable this error and scale the "
            "gradients by the non-finite norm anyway, set `error_if_nonfinite=False`")
    factor = (max_norm / (total_norm + 1e-6)).clamp(max=1.0)
    for grad in grads:
        grad.mul_(factor)
    return total_norm


def gradients_of(parameters):
    """Return the gradients of one or of several parameters that have one."""
    if isinstance(parameters, Tensor):
        parameters = [parameters]
    return [param.grad for param in parameters if param.grad is not None]
