"""What `draw` is given: tensors and nodes, in lists, dicts and dataclasses as models return them."""
from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from .facts import called, is_node, is_tensor

TAKES = "draw() takes a tensor, or a list, a dict or a dataclass of tensors"
BESIDE = (str, bool, int, float, complex, type(None))  # what a dict of results may hold beside tensors


def targets_of(value: Any) -> list[Any]:
    """The tensors and nodes in a value, each once."""
    found = list({id(item): item for item in _inside(value, "", ())}.values())
    if not found:
        raise TypeError(f"{TAKES}; this {type(value).__name__} is empty or holds none")
    return found


def _inside(value: Any, path: str, around: tuple[int, ...]) -> Iterator[Any]:
    if is_tensor(value) or is_node(value):
        yield value
    elif isinstance(value, (list, tuple, Mapping)) or _is_dataclass(value):
        for step, item in _items(value) if id(value) not in around else ():
            if isinstance(value, (list, tuple)) or not isinstance(item, BESIDE):
                yield from _inside(item, path + step, (*around, id(value)))
    elif path:
        raise TypeError(f"{TAKES}; {path} is {called(value)}{_advice(value)}")
    else:
        raise TypeError(f"{TAKES}, not {called(value)}{_advice(value)}")


def _items(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return [(f"[{key!r}]" if type(key) in (str, int) else "[...]", item) for key, item in value.items()]
    if _is_dataclass(value):
        return [(f".{field.name}", getattr(value, field.name)) for field in dataclasses.fields(value)]
    return [(f"[{at}]", item) for at, item in enumerate(value)]


def _is_dataclass(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def _advice(value: Any) -> str:
    if value is None:
        return ": does the function return its result? A leaf's .grad and .grad_fn may be None, too"
    if isinstance(value, (bool, int, float, complex)):
        return ": a Python number has no history; draw the tensor it came from"
    if hasattr(type(value), "named_parameters"):
        return ": call it, and draw what it returns"
    if hasattr(type(value), "__array__"):
        return ": an array has no history; draw the tensor it came from"
    return ""
