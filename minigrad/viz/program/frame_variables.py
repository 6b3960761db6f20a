"""The variables of a frame, read so that nothing of them stays alive.

Before Python 3.13 a function's frame that is asked for `f_locals` stores a copy of its variables
until the function returns, and a tensor in that copy survives its `del`. So the copy is emptied
once it has been read.
"""
from __future__ import annotations

import sys
from collections.abc import Mapping
from inspect import CO_OPTIMIZED
from types import FrameType
from typing import Any

ALONE = 3  # references to a copy that nobody else uses: of the frame, a variable and an argument


def variables(frame: Any) -> Mapping[str, Any]:
    """The local variables of a frame by name; those of a module or a class body are not copied."""
    held = frame.f_locals
    if not isinstance(frame, FrameType) or not frame.f_code.co_flags & CO_OPTIMIZED:
        return held
    found = dict(held)
    # A copy that a program got from locals(), and one that a debugger is about to write back, stay.
    if sys.version_info < (3, 13) and frame.f_trace is None and sys.getrefcount(held) == ALONE:
        held.clear()
    return found
