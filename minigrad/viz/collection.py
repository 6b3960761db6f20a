"""Python's search for garbage, which is held back while a large graph is read, drawn and folded."""
from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def held_back(function: Callable[P, R]) -> Callable[P, R]:
    """The same function. All that it makes is needed, and searching it takes as long as making it."""
    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        before = gc.isenabled()
        gc.disable()
        try:
            return function(*args, **kwargs)
        finally:
            if before:
                gc.enable()

    return called
