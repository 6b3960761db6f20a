"""Gradients made smaller when they are too large."""
from __future__ import annotations

import types
import warnings

import numpy as np

from ...autograd.grad_mode import no_grad
from ...creation import tensor
from ...ops.pointwise import clamp  # noqa
from ...ops.joining import stack
from ...ops.reductions import vector_norm  # noqa
from ...tensor import Tensor


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None) -> Tensor:
    """Scale all gradients down together, in place, if as one vector they are longer than `max_norm`.

    Returns:
        The length before, a 0-d tensor.

    Raises:
        RuntimeError: the length is nan or infinite and `error_if_nonfinite` is set.
    """
    if isinstance(parameters, types.GeneratorType):
        parameters = list(parameters)
        if not parameters:
            warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", UserWarning,
                          stacklevel=2)
    grads = gradients_of(parameters)
    total_norm = get_total_norm(grads, norm_type, error_if_nonfinite)
    with no_grad():
        coefficient = clamp(float(max_norm) / (total_norm + 1e-6), max=1.0)
        for grad in gradients_of(parameters):
            grad.mul_(coefficient)
    return total_norm


def clip_grad_value_(parameters, clip_value, foreach=None) -> None:
    """Move every number of every gradient into [-clip_value, clip_value], in place."""
    clip_value = float(clip_value)
    with no_grad():
        grads = gradients_of(parameters)
        if not grads:
            raise RuntimeError("Expected !nested_tensorlist[0].empty() to be true, but got false.  (Could "
                               "this error message be improved?  If so, please report an enhancement request "
                               "to PyTorch.)")
        for grad in grads:
            grad.clamp_(min=-clip_value).clamp_(max=clip_value)     # two writes, as in PyTorch


def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None) -> Tensor:
    """The length of several tensors as one vector."""
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return tensor(0.0)
    with no_grad():
        total = vector_norm(stack([vector_norm(t, norm_type) for t in tensors]), norm_type)
    if error_if_nonfinite and not np.isfinite(total._array):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it "
            "cannot be clipped. To disable this error and scale the gradients by the non-finite norm "
            "anyway, set `error_if_nonfinite=False`")
    return total


def gradients_of(parameters):
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    return [p.grad for p in parameters if p.grad is not None]


