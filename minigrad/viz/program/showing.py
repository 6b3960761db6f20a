"""Where a program runs: in a notebook, in a terminal or in neither.

IPython is never loaded to find out.
"""
import sys
from typing import Any


def shell() -> Any:
    """The IPython that runs this program, or None."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


def cell_numbers() -> dict[str, int]:
    """File name of a cell -> the number in its In[ ], as IPython keeps it."""
    return getattr(getattr(shell(), "compile", None), "_filename_map", {})


def in_notebook() -> bool:
    return shell() is not None and type(shell()).__name__ != "TerminalInteractiveShell"
