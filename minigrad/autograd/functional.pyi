"""Jacobians and Hessians, and products with them, for a function of tensors."""
# Generated from the live objects: python -m tests.stubs --write
from collections.abc import Callable, Sequence
from typing import Any
from minigrad.tensor import Tensor

def hessian(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Tensor],
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
) -> Any:
    """Return the Jacobian of the gradient of a function that returns one number."""

def hvp(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Tensor],
    v: Tensor | Sequence[Tensor] | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return what `vhp` returns: the Hessian is symmetric."""

def jacobian(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Tensor],
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
) -> Any:
    """Return all first derivatives, by a pass for each element of the output."""

def jvp(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Tensor],
    v: Tensor | Sequence[Tensor] | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return ``func(*inputs)``, and J v for a vector `v` shaped like the inputs."""

def vhp(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Tensor],
    v: Tensor | Sequence[Tensor] | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return ``func(*inputs)``, one number, and v H for a `v` shaped like the inputs."""

def vjp(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Tensor],
    v: Tensor | Sequence[Tensor] | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return ``func(*inputs)``, and v J for a vector `v` shaped like the output."""
