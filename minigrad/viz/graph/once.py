"""What is looked up once while nothing of the program runs: when a pass begins, or a run is judged.

Then models hold what they hold, and nodes keep what they keep. A watched step of a model of four
layers walked through that 60 times, and asked each node three times what it keeps.
"""
from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from .collection import held_back

P = ParamSpec("P")
Found = TypeVar("Found")


class _Scope(threading.local):
    """What was found; None where something may change it."""

    found: dict[tuple[Hashable, ...], tuple[Any, Any]] | None = None


_scope = _Scope()


def unchanged(look: Callable[P, Found]) -> Callable[P, Found]:
    """Decorate a function that runs nothing of the program.

    Python's search for garbage is held back meanwhile: what such a function makes is dropped when
    it ends, and looking for cycles in it took 8 % of a watched step.
    """
    @wraps(look)
    def undisturbed(*args: P.args, **kwargs: P.kwargs) -> Found:
        if _scope.found is not None:
            return look(*args, **kwargs)
        _scope.found = {}
        try:
            with held_back():
                return look(*args, **kwargs)
        finally:
            _scope.found = None

    return undisturbed


def once(look: Callable[..., Found]) -> Callable[..., Found]:
    """Decorate a question about an object, which is asked once within a function that is
    `unchanged`. An answer must not be changed.
    """
    @wraps(look)
    def known(of: Any, *more: Hashable) -> Found:
        found = _scope.found
        if found is None:
            return look(of, *more)
        key = (look, id(of), *more)
        if key not in found:
            found[key] = of, look(of, *more)  # an id is only valid while its object lives
        answer: Found = found[key][1]
        return answer

    return known
