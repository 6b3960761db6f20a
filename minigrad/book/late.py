"""A function of the book whose module is imported when it is first used, so that a chapter opens at once."""
from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any


class Late:
    """A function that is imported when it is first called. `help()` and `?` show its own words.

        draw = Late("minigrad.book.classroom.graphs", "draw")
    """

    def __init__(self, module: str, name: str) -> None:
        self.__module__, self.__name__ = module, name

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        return getattr(import_module(self.__module__), self.__name__)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.__wrapped__.__doc__

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.__wrapped__)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):    # what tools ask of any object must not load it
            raise AttributeError(name)
        return getattr(self.__wrapped__, name)

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.__wrapped__(*args, **options)

    def __repr__(self) -> str:
        return f"<function {self.__name__}{self.__signature__}>"
