"""Modes: whether the operations of this thread are recorded."""
# Generated from the live objects: python -m tests.stubs --write
from collections.abc import Callable
from typing import Any, TypeVar, overload
from typing_extensions import Self

_F = TypeVar("_F", bound=Callable[..., Any])

class Mode:
    """Switches recording, and perhaps inference, for a block or a function."""
    def __call__(self, function: _F) -> _F:
        """Return the function with this mode around each of its calls."""
    def __enter__(self) -> Any: ...
    def __exit__(self, *error: object) -> None: ...
    @overload
    def __new__(cls, function: _F) -> _F: ...  # type: ignore[misc]
    @overload
    def __new__(cls) -> Self: ...
    def clone(self) -> Self:
        """Return a mode of the same kind, for one more block."""

class enable_grad(Mode):
    """Record, also inside ``no_grad``."""
    records: bool

class inference_mode(Mode):
    """Do not record, and make tensors that can never become part of a graph."""
    def __enter__(self) -> Any: ...
    def __exit__(self, *error: object) -> None: ...
    before: Any
    def clone(self) -> Any: ...
    @overload
    def __new__(cls, mode: _F) -> _F: ...  # type: ignore[misc]
    @overload
    def __new__(cls, mode: bool = True) -> Self: ...

class no_grad(Mode):
    """Do not record: what is computed inside does not require a gradient."""
    records: bool

class set_grad_enabled(Mode):
    """Switch recording on or off at once; a block restores the old state at its end."""
    def __call__(self, function: Callable[..., Any]) -> Any: ...
    def __enter__(self) -> Any: ...
    def __init__(self, mode: bool) -> None: ...
    def clone(self) -> Any: ...
