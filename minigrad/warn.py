"""Warnings that PyTorch gives only once in a program, and the switch that makes them come every time."""
from __future__ import annotations

import warnings

_given = set()
_always = False


def warn_once(message: str, stacklevel: int = 2) -> None:
    """Warn, unless this program has been warned of the same before."""
    if _always or message not in _given:
        _given.add(message)
        warnings.warn(message, UserWarning, stacklevel=stacklevel + 1)


def set_warn_always(b: bool, /) -> None:
    """Whether warnings that come once come each time instead."""
    global _always
    if not isinstance(b, bool):
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    _always = b


def is_warn_always_enabled() -> bool:
    return _always


FUNCTIONS_ONLY = "set_warn_always is_warn_always_enabled"
