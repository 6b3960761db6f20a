"""Gradients made smaller number by number, and not, as by their norm, together."""
from ..autograd.grad_mode import no_grad
from ..nn.utils import gradients_of


@no_grad()
def clip_grad_value_(parameters, clip_value):
    """Bring every number of every gradient into [-clip_value, clip_value], in place."""
    for grad in gradients_of(parameters):
        grad.clamp_(min=-clip_value)        # two writes, as in PyTorch
        grad.clamp_(max=clip_value)
