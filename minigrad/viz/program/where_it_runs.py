"""Where a program runs: in a notebook, in a terminal or in neither.

IPython is never loaded to find out.
"""
from __future__ import annotations

import sys
from types import FrameType
from typing import Any

PACKAGE = __name__.partition(".")[0]
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


def shell() -> Any:
    """The IPython that runs this program, or None."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


def cell_numbers() -> dict[str, int]:
    """File name of a cell -> the number in its In[ ], as IPython keeps it."""
    return getattr(getattr(shell(), "compile", None), "_filename_map", {})


def package_of(frame: FrameType) -> str:
    """The package whose code a frame runs."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def in_notebook() -> bool:
    return shell() is not None and type(shell()).__name__ != "TerminalInteractiveShell"


def _caller() -> FrameType:
    """The first frame outside of this package and outside of comprehensions."""
    frame = sys._getframe()
    while frame.f_back and (package_of(frame) == PACKAGE or frame.f_code.co_name in COMPREHENSIONS):
        frame = frame.f_back
    return frame
