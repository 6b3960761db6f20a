"""Puts a script into a new cell of the notebook, to be measured and repaired there."""
from __future__ import annotations

import sys

from .backend import for_minigrad


def in_a_new_cell(source: str) -> None:
    """Put a script into a new cell below the running one; outside a notebook, print it.

    Where the notebook's `torch` is minigrad, the script's imports are changed, and its lines keep their
    numbers.
    """
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    package = shell.user_ns.get("torch") if shell else None
    text = source if getattr(package, "__name__", "") == "torch" else for_minigrad(source)
    if shell is not None and hasattr(shell, "kernel"):
        shell.set_next_input(text)
    else:
        print(text, end="")
