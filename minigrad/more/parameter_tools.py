"""All parameters of a model as one long vector."""
from ..autograd.grad_mode import no_grad
from ..nn.utils import gradients_of
from ..ops.joining import cat


def parameters_to_vector(parameters):
    """Return all parameters joined in one vector, through which gradients flow."""
    return cat([param.view(-1) for param in parameters])


def vector_to_parameters(vec, parameters):
    """Make each parameter the view of its part of the vector."""
    parameters = list(parameters)
    parts = vec.split([param.numel() for param in parameters])
    for param, part in zip(parameters, parts):
        param.data = part.view_as(param).data


# --- clipping -------------------------------------------------------------------------
# Each number is clipped by itself; `clip_grad_norm_` shrinks all by one factor.

@no_grad()
def clip_grad_value_(parameters, clip_value):
    """Bring every number of every gradient into [-clip_value, clip_value], in place."""
    for grad in gradients_of(parameters):
        grad.clamp_(min=-clip_value)        # two writes, as in PyTorch
        grad.clamp_(max=clip_value)
