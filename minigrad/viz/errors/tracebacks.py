"""Errors in a notebook show the lines of the program, and none of the libraries below it.

IPython gets a copy of the traceback without the frames of minigrad, PyTorch and NumPy. The error
itself keeps them all, for `explain` and for debuggers, and `%xmode Verbose` prints them all.
"""
from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Any

from ..program.where_it_runs import PACKAGE, package_of, shell

LIBRARIES = (PACKAGE, "torch", "numpy", "contextlib", "copy", "functools")


def hide_libraries() -> None:
    """Have IPython leave out the frames of libraries. Without IPython, nothing changes."""
    printer: Any = getattr(shell(), "InteractiveTB", None)
    records = getattr(printer, "get_records", None)
    if records is None or "get_records" in vars(printer):
        return

    printer.get_records = lambda trace, *rest: records(
        trace if printer.mode == "Verbose" else without_libraries(trace), *rest)


def without_libraries(trace: TracebackType) -> TracebackType:
    """A copy of a traceback without the frames of libraries, if others are in it."""
    kept = [one for one in tracebacks(trace) if package_of(one.tb_frame) not in LIBRARIES]
    rest: TracebackType | None = None
    for one in reversed(kept):
        rest = TracebackType(rest, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return rest or trace


def tracebacks(trace: TracebackType | None) -> Iterator[TracebackType]:
    """The parts of a traceback, the innermost last."""
    while trace is not None:
        yield trace
        trace = trace.tb_next
