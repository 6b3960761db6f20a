"""Calls that limit gradients and were given an iterator that had come to its end before."""
from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from types import FrameType, GeneratorType
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

from ..graph.node_records import Line
from .here import here, measured, order
from .write_records import line_here

MOST = 1000  # calls that are remembered
NAMES = ("clip_grad_norm_", "clip_grad_value_")


class Empty(NamedTuple):
    """A call that limits gradients, which got no tensor."""

    order: int  # grows over all leaves
    function: str
    line: Line | None


_empty: deque[Empty] = deque(maxlen=MOST)


def empty_calls() -> list[Empty]:
    """The calls that were watched, in order."""
    return [one for one in _empty if one.order > here.since]


def note_decorated(frame: FrameType) -> None:
    """A frame switches recording off, as that does which PyTorch puts around such a function."""
    if frame.f_code.co_name == "_no_grad_wrapper":
        own = frame.f_locals
        _note(getattr(own.get("func"), "__name__", ""), own.get("args"), own.get("kwargs"))


def watched_limit(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    _note(function.__name__, args, kwargs)
    return function(*args, **kwargs)


@measured
def _note(function: str, args: Any, kwargs: Any) -> None:
    with suppress(Exception):  # watching never fails in the place of the program
        if function in NAMES and used_up(args[0] if args else kwargs["parameters"]):
            _empty.append(Empty(next(order), function, line_here()))


def used_up(given: Any) -> bool:
    """Whether an iterator has come to its end, as far as it tells without being asked for more.

    A new one that is about to yield nothing has not.
    """
    if isinstance(given, GeneratorType):
        frame = given.gi_frame
        return frame is None or used_up(frame.f_locals.get(".0"))  # what `(... for p in x)` asks
    if not isinstance(given, (filter, map, zip, chain)):
        return False
    with catch_warnings():
        simplefilter("ignore")  # chain tells in this way alone, which Python is to drop
        try:
            parts: Any = given.__reduce__()
        except Exception:
            return False
    return len(parts) < 3 if isinstance(given, chain) else any(map(used_up, parts[1]))
