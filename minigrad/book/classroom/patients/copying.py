"""Takes a script into the notebook: its text into a new cell, or what it makes before its training loop."""
from __future__ import annotations

import contextlib
import io
import sys
from types import SimpleNamespace
from typing import Any

from .backend import for_minigrad

MEASURED = ("x", "y", "test_x", "test_y", "model", "optimizer", "loss_of")


def in_a_new_cell(source: str) -> None:
    """Put a script into a new cell below the running one; outside a notebook, print it.

    Where the notebook's `torch` is minigrad, the script's imports are changed, and its lines keep their
    numbers.
    """
    shell, text = notebook(), for_the_notebook(source)
    if shell is not None and hasattr(shell, "kernel"):
        shell.set_next_input(text)
    else:
        print(text, end="")


def objects_made_by(source: str) -> SimpleNamespace:
    """Run the lines of a script before its loop; return those of MEASURED that they make.

    They run on the notebook's `torch`, and what they print isn't shown.
    """
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(for_the_notebook(source), names)
    return SimpleNamespace(**{name: names[name] for name in MEASURED if name in names})


def for_the_notebook(source: str) -> str:
    """Return the text for the package that is `torch` in the notebook; where there is none, for minigrad."""
    shell = notebook()
    package = shell.user_ns.get("torch") if shell else None
    return source if getattr(package, "__name__", "") == "torch" else for_minigrad(source)


def notebook() -> Any:
    """Return IPython's shell; None: there is none."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
