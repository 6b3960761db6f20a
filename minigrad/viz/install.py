"""`install()`: a hint under every error of autograd that can be explained, on PyTorch too."""
from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from .explain import ASK, offer
from .showing import shell


def install() -> Callable[[], None]:
    """Have every uncaught error say how `explain()` explains it.

    In a script Python's report of the error stays as it is, and the hint is its last line. In IPython and
    Jupyter it is the last line of the traceback. minigrad's own errors have the hint without this.

    Example:
        import minigrad.viz
        uninstall = minigrad.viz.install()

    Returns:
        A function that takes the hint away again.
    """
    undo = ExitStack()
    undo.callback(_before(threading, "excepthook", lambda args: args[0].exc_value))
    if (ipython := shell()) is None:
        undo.callback(_before(sys, "excepthook", lambda args: args[1]))
    else:
        undo.callback(_before(ipython, "showtraceback", lambda args: (*args, sys.exc_info())[0][1]))
    return undo.close


def _before(owner: Any, name: str, error_of: Callable[[tuple[Any, ...]], Any]) -> Callable[[], None]:
    """Offer an explanation before `owner.name` reports an error; returns what ends that."""
    report, installed = getattr(owner, name), [True]

    def reported(*args: Any, **options: Any) -> None:
        error = error_of(args) if installed else None
        if isinstance(error, BaseException):
            offer(error)
        report(*args, **options)
        if installed and sys.version_info < (3, 11) and shell() is None:  # this Python prints no notes
            sys.stderr.writelines(f"{note}\n" for note in getattr(error, "__notes__", ()) if ASK in note)

    def end() -> None:
        installed.clear()
        if getattr(owner, name) is reported:  # otherwise another hook calls this one, which stays
            setattr(owner, name, report)

    setattr(owner, name, reported)
    return end
