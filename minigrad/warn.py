"""Warnings that PyTorch gives only once in a program, and the switch that makes them come every time."""
from __future__ import annotations

import warnings
from sys import _getframe

from .places import PACKAGE

_given = set()
_always = False


def warn_once(message: str) -> None:
    """Warn, unless this program has been warned of the same before."""
    if _always or message not in _given:
        _given.add(message)
        warn(message)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the program that called this package, through however many of its functions.

    PyTorch's C++ code does so; its Python code counts frames, as does this package where it follows that.
    """
    frame, level = _getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


