"""The line of the user's program at which something happened.

Writes in place, passes and, where somebody watches, nodes of the graph remember their
place, so that an error that follows much later can be explained.  A place is a pair of
code and instruction; it keeps no variable alive.
"""
import os
from collections import namedtuple
from sys import _getframe

PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
our_files = set()       # files of this package seen so far: quicker than their paths

Line = namedtuple("Line", "filename line function")


def here(depth=2):
    """Return the place that called this package, at least `depth` calls away."""
    frame = _getframe(depth)
    while is_ours(frame.f_code.co_filename):
        if frame.f_back is None:        # nothing else is on the stack
            break
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


def is_ours(filename):
    """Return whether a file belongs to this package."""
    if filename in our_files:
        return True
    if not filename.startswith(PACKAGE):
        return False
    our_files.add(filename)
    return True


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
