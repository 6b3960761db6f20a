"""Where in your program something happened, kept as code and instruction: no variable stays alive.

Writes in place and backward passes leave their place behind, so that an error that comes of them much later
can be explained.  Which line it was is worked out when somebody asks.
"""
from __future__ import annotations

import os
from sys import _getframe
from typing import NamedTuple

PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
ours = set()        # files of this package that were met: quicker than comparing names


class Line(NamedTuple):
    """A line of a program, as tracebacks write it."""

    filename: str
    line: int
    function: str


def here(depth=2):
    """The place from which this package was called; `depth` callers are known to be its own functions."""
    frame = _getframe(depth)
    while True:
        filename = frame.f_code.co_filename
        if filename not in ours:
            if not filename.startswith(PACKAGE):
                break
            ours.add(filename)
        if frame.f_back is None:        # a thread of the package's own
            break
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


def line_of(place):
    """The `Line` of a place; None of None."""
    if place is None:
        return None
    code, instruction = place
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= instruction < end and number is not None:
            line = number
    return Line(code.co_filename, line, code.co_name)
