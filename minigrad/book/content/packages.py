"""Which package a learner's function calls `torch`."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad


def package_of(function: Callable) -> Any:
    """Return what a function calls `torch`: PyTorch, or minigrad."""
    package = getattr(function, "__globals__", {}).get("torch", minigrad)
    return package if hasattr(package, "tensor") and hasattr(package, "autograd") else minigrad
