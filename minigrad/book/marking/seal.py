"""Remembers the functions and classes of some packages, and restores those that somebody has changed."""
from __future__ import annotations

import sys
from pathlib import Path
from types import FunctionType
from typing import Any

PACKAGES = {"minigrad", "numpy", "builtins", "math", "operator", "inspect", "ast", "json"}
OURS = str(Path(__file__).resolve().parents[2])
PARTS = ("__code__", "__defaults__", "__kwdefaults__")


class Seal:
    """What can be called, as it is now: by module, by class, and the code of each function."""

    def __init__(self) -> None:
        modules = [(name, module) for name, module in sys.modules.items()
                   if name.partition(".")[0] in PACKAGES and module is not None]
        self.spaces = [(module, name, callables(module)) for name, module in modules]
        classes = {one for _, _, names in self.spaces for one in names.values() if isinstance(one, type)
                   and one.__module__.partition(".")[0] == "minigrad"}
        self.spaces += [(one, f"{one.__module__}.{one.__name__}", dict(vars(one))) for one in classes]
        functions = {one for _, _, names in self.spaces for one in names.values()
                     if isinstance(one, FunctionType)}
        self.functions = [(one, [getattr(one, part) for part in PARTS]) for one in functions]

    def restore(self) -> list[str]:
        """Restore what was changed, and return the names of what comes from elsewhere now.

        minigrad itself replaces some functions of its classes when they are first used.
        """
        changed = []
        for space, path, names in self.spaces:
            now = vars(space)
            for name, value in names.items():
                if now.get(name) is not value and name not in ("__dict__", "__weakref__"):
                    changed += [f"{path}.{name}"] * is_foreign(now.get(name))
                    setattr(space, name, value)
        for function, parts in self.functions:
            for part, value in zip(PARTS, parts, strict=True):
                if getattr(function, part) is not value:
                    setattr(function, part, value)
                    changed.append(f"{function.__module__}.{function.__qualname__}")
        return changed


def callables(space: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(space).items() if callable(value)}


def is_foreign(value: Any) -> bool:
    function = next((getattr(value, name) for name in ("__func__", "fget") if hasattr(value, name)), value)
    code = getattr(function, "__code__", None)  # also of a static method and of a property
    return code is None or not code.co_filename.startswith(OURS)
