"""What `draw` is given: tensors and nodes, in lists, dicts and dataclasses."""
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .facts import called, is_node, is_tensor

TAKES = "draw() takes a tensor, or a list, a dict or a dataclass of tensors"
# what a dict of results may hold beside tensors
BESIDE = (str, bool, int, float, complex, type(None))


def targets_of(value: Any) -> list[Any]:
    """The tensors and nodes in a value, each once."""
    found = list({id(item): item for item in _inside(value, ())}.values())
    if not found:
        raise TypeError(f"{TAKES}; this {type(value).__name__} is empty or holds none")
    return found


def _inside(value: Any, around: tuple[int, ...]) -> Iterator[Any]:
    if is_tensor(value) or is_node(value):
        yield value
        return
    if isinstance(value, Mapping):
        items: Sequence[Any] = [item for item in value.values() if not isinstance(item, BESIDE)]
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        items = [getattr(value, field.name) for field in dataclasses.fields(value)]
        items = [item for item in items if not isinstance(item, BESIDE)]
    elif isinstance(value, (list, tuple)):
        items = value
    else:
        raise TypeError(f"{TAKES}, not {called(value)}{_advice(value)}")
    for item in items if id(value) not in around else ():
        yield from _inside(item, (*around, id(value)))


def _advice(value: Any) -> str:
    if value is None:
        return ": does the function return its result? A leaf's .grad and .grad_fn may be None, too"
    if hasattr(type(value), "named_parameters"):
        return ": call it, and draw what it returns"
    if isinstance(value, (bool, int, float, complex)):
        return ": a Python number has no history; draw the tensor it came from"
    array = hasattr(type(value), "__array__")
    return ": an array has no history; draw the tensor it came from" if array else ""
