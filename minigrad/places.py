"""The line of the user's program at which something happened, kept as code and instruction.

Writes in place and nodes of the graph remember their place, so that an error that follows much
later can be explained.  A place keeps no variable alive.
"""
import os
from collections import namedtuple
from sys import _getframe

PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
our_files = set()       # files of this package seen so far: quicker than comparing their paths

Line = namedtuple("Line", "filename line function")


def here(depth=2):
    """Return the place from which this package was called, at least `depth` calls away."""
    frame = _getframe(depth)
    while True:
        filename = frame.f_code.co_filename
        if filename not in our_files:
            if not filename.startswith(PACKAGE):
                break
            our_files.add(filename)
        if frame.f_back is None:        # a thread that the package itself started
            break
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


def line_of(place):
    """Return the `Line` of a place, as tracebacks show it; None for None."""
    if place is None:
        return None
    code, instruction = place
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= instruction < end and number is not None:
            line = number
    return Line(code.co_filename, line, code.co_name)
