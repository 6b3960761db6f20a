"""Gradients made smaller before a step."""
# Generated from the live objects: python -m tests.stubs --write
from collections.abc import Iterable
from typing import Any
from minigrad.tensor import Tensor

def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: Any = None,
) -> Tensor:
    """Scale all gradients together, so that as one vector they have at most this norm."""

def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float) -> None:
    """Bring every number of every gradient into [-clip_value, clip_value], in place."""

def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return all parameters joined in one vector, through which gradients flow."""

def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Make each parameter the view of its part of the vector."""
