"""Which variable holds this tensor?

A tensor doesn't know its name, but the caller's variables do. We look in the caller's local variables, then
in its globals (in a notebook: every variable you made). Parameters of a model are called
`model.0.weight`, elements of a list `params[0]`. A tensor with several names gets the nearest one: local
before global, a variable of its own before a part of something, short before long, then by alphabet; never
by when it was assigned, which in a notebook depends on the order in which cells were run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

from .facts import called, can_be_read, is_tensor

PACKAGE = __name__.partition(".")[0]
LONGEST_CONTAINER = 50
LONGEST_NAME = 60


class Names:
    """Finds the name of a tensor, and the named tensors that an operation produced."""

    def __init__(self, found: Mapping[str, Any], frame: FrameType | None = None) -> None:
        self.frame = frame  # where the names were found
        self.tensors: dict[str, Any] = {}  # those that can be read
        self._by_tensor: dict[int, str] = {}
        self._by_output: dict[tuple[int, int], tuple[str, Any]] = {}
        self._alive = list(found.values())  # an id is only valid while its object lives
        for name, tensor in found.items():
            name = printable(name)
            self._by_tensor.setdefault(id(tensor), name)
            if not can_be_read(tensor):
                continue
            self.tensors[name] = tensor
            if (node := tensor.grad_fn) is not None:
                self._alive.append(node)
                key = (id(node), getattr(tensor, "output_nr", 0))
                self._by_output.setdefault(key, (name, tensor))

    def of(self, tensor: Any) -> str:
        """The tensor's own name, or that of a variable that holds the same output of the same operation."""
        name = self._by_tensor.get(id(tensor), "")
        if not name and can_be_read(tensor) and tensor.grad_fn is not None:
            name, _ = self.output(tensor.grad_fn, getattr(tensor, "output_nr", 0))
        return name

    def output(self, node: Any, output_nr: int) -> tuple[str, Any]:
        return self._by_output.get((id(node), output_nr), ("", None))

    def outputs(self, node: Any, count: int = 8) -> dict[int, tuple[str, Any]]:
        found = {nr: self._by_output.get((id(node), nr)) for nr in range(count)}
        return {nr: pair for nr, pair in found.items() if pair}


def find_names(given: Mapping[str, Any] | bool | None) -> Names:
    """`given` names, or (None) those of the calling frame, or (False) none."""
    if given is None or given is True:
        frame = _caller()
        return Names(_in_frame(frame), frame)
    if given is False:
        return Names({})
    if not isinstance(given, Mapping):
        wrong = called(given)
        raise TypeError(f"names must be a dict like {{'w': w}}, or False for no names, not {wrong}")
    return Names({str(name): tensor for name, tensor in given.items() if is_tensor(tensor)}, _caller())


def _caller() -> FrameType:
    """The first frame that is not this package's own."""
    frame = sys._getframe()
    while frame.f_back and package_of(frame) == PACKAGE:
        frame = frame.f_back
    return frame


def package_of(frame: FrameType) -> str:
    """The package whose code a frame runs."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _in_frame(frame: FrameType) -> dict[str, Any]:
    found: dict[str, Any] = {}
    scopes = [frame.f_locals] if frame.f_locals is frame.f_globals else [frame.f_locals, frame.f_globals]
    for scope in scopes:
        ranked = []
        for name, value in list(scope.items()):
            if type(name) is str and name.isidentifier() and not name.startswith("_"):  # In[12] stays in _12
                ranked += [(rank, len(path), path, tensor) for rank, path, tensor in _held(name, value)]
        for _, _, path, tensor in sorted(ranked, key=lambda row: row[:3]):
            found.setdefault(path, tensor)
    return found


def _held(name: str, value: Any) -> list[tuple[int, str, Any]]:
    """What a variable holds. One that refuses to be looked at (a half-built model, say) holds nothing."""
    try:
        return list(_tensors(name, value))
    except Exception:
        return []


def _tensors(name: str, value: Any) -> Iterator[tuple[int, str, Any]]:
    """(rank, path, tensor) for what a variable holds: a tensor, a model, or a container of tensors."""
    if is_tensor(value):
        yield 0, name, value
    elif issubclass(type(value), type):
        return
    elif callable(getattr(type(value), "named_parameters", None)):
        for path, parameter in value.named_parameters():
            yield 1, f"{name}.{path}", parameter
    elif type(value) in (list, tuple) and len(value) <= LONGEST_CONTAINER:
        yield from ((2, f"{name}[{at}]", item) for at, item in enumerate(value) if is_tensor(item))
    elif type(value) is dict and len(value) <= LONGEST_CONTAINER:
        named = [(key, item) for key, item in value.items() if type(key) is str and is_tensor(item)]
        yield from ((2, f"{name}[{key!r}]", item) for key, item in named)


def printable(name: str) -> str:
    """A name as a picture can show it: without control characters, and not longer than a line."""
    text = name if name.isprintable() else name.encode("unicode_escape").decode()
    return text if len(text) <= LONGEST_NAME else text[:LONGEST_NAME - 1] + "\N{HORIZONTAL ELLIPSIS}"
