"""`install()`: a hint under every error of autograd that can be explained, on PyTorch too."""
from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ..program.where_it_runs import shell
from .explain import ASK, offer


class Uninstall:
    """What `install` returns.

    A notebook shows it as a sentence, not as a function with an address.
    """

    def __init__(self, undo: Callable[[], None]) -> None:
        self.undo = undo

    def __call__(self) -> None:
        self.undo()

    def __repr__(self) -> str:
        return ("Every error of autograd now says how to explain it. Call this to take the hint "
                "away.")


def install() -> Callable[[], None]:
    """Have every uncaught error of the main thread say how `explain()` explains it.

    In a script Python's report of the error stays as it is, and the hint is its last line. In
    IPython and Jupyter it is the last line of the traceback. Errors of minigrad's own have it
    without `install()`.

    Example:
        import minigrad.viz
        uninstall = minigrad.viz.install()

    Returns:
        A function that takes the hint away again.
    """
    ipython = shell()
    owner, name = (sys, "excepthook") if ipython is None else (ipython, "showtraceback")
    report = getattr(owner, name)

    def reported(*args: Any, **options: Any) -> None:
        error = args[1] if ipython is None else (*args, sys.exc_info())[0][1]
        if isinstance(error, BaseException):
            offer(error)
        report(*args, **options)
        if sys.version_info < (3, 11) and ipython is None:  # this Python prints no notes
            sys.stderr.writelines(f"{note}\n" for note in getattr(error, "__notes__", ())
                                  if ASK in note)

    def uninstall() -> None:
        if getattr(owner, name) is reported:  # otherwise another hook calls this one, which stays
            setattr(owner, name, report)

    setattr(owner, name, reported)
    return Uninstall(uninstall)
