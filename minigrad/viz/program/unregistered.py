"""Tensors and modules in the attributes of a model that it doesn't count among its parameters."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..graph.facts import can_be_read, is_tensor
from ..graph.modules import inner_modules, is_model, joined, members

MOST = 1000  # things in a list that are looked at


class Unregistered(NamedTuple):
    """A leaf that requires a gradient, and where it is."""

    name: str  # net.layers[0].weight
    tensor: Any
    module: Any
    owner: str  # the name of the module: net
    attribute: str
    container: str  # "list", "tuple", "dict", or the class of the tensor
    part: Any  # what the container holds: a module or the tensor


def unregistered(path: str, model: Any) -> Iterator[Unregistered]:
    """What a model's modules hold in lists, dicts and attributes, without registering it."""
    known = {id(one) for _, one in members(model)}
    for inner, module in inner_modules(model).items():
        for attribute, value in list(object.__getattribute__(module, "__dict__").items()):
            if attribute.startswith("_"):
                continue
            for step, one in _items(value).items():
                rows = members(one) if is_model(one) else []
                for name, tensor in [("", one)] if is_tensor(one) else rows:
                    if id(tensor) not in known and can_be_read(tensor) and (
                            tensor.requires_grad and tensor.is_leaf):
                        owner = joined(path, inner)
                        yield Unregistered(joined(f"{owner}.{attribute}{step}", name), tensor,
                                           module, owner, attribute, type(value).__name__, one)


def _items(value: Any, depth: int = 3) -> dict[str, Any]:
    if is_tensor(value):
        return {"": value}
    if type(value) not in (list, tuple, dict) or not depth or len(value) > MOST:
        return {}
    return {f"[{key!r}]{more}": one
            for key, inner in (value.items() if type(value) is dict else enumerate(value))
            for more, one in (_items(inner, depth - 1) or {"": inner}).items()}
