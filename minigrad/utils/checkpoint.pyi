"""Checkpointing: keep nothing of a part of the computation, and compute it again."""
# Generated from the live objects: python -m tests.stubs --write
from collections.abc import Callable
from typing import Any

class CheckpointError(RuntimeError):
    """The function did something else when it was run again."""

def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    **kwargs: Any,
) -> Any:
    """Return ``function(*args, **kwargs)``, to be computed again in the backward pass."""
