"""Your own differentiable functions: subclass ``Function``; write forward and backward."""
# Generated from the live objects: python -m tests.stubs --write
from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])

class Function:
    """Base class of the differentiable functions that you write."""
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __init__(self) -> None: ...
    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call ``forward``, and record the call if an argument requires a gradient."""
    @staticmethod
    def backward(*args: Any, **kwargs: Any) -> Any:
        """Return a gradient, or None, for each argument of forward."""
    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute a tensor or a tuple of them, unrecorded; `ctx` comes first."""
    @staticmethod
    def setup_context(*args: Any, **kwargs: Any) -> Any:
        """Fill ``ctx`` after ``output = forward(*inputs)``."""
    @staticmethod
    def vjp(*args: Any, **kwargs: Any) -> Any:
        """Return a gradient, or None, for each argument of forward."""

def once_differentiable(backward: _F) -> _F:
    """Mark a ``backward`` as not recorded; to differentiate its result is an error."""
