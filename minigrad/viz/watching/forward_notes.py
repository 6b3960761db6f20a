"""What a watch notes of a module's call for the picture of the forward pass.

It is plain: the names of the model's inputs, which module takes which of them, and how many bytes
the modules returned. `Call` has a field for each.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from ..graph.facts import is_tensor, storage_of
from ..graph.kept import saved_by
from ..graph.modules import inner_modules
from ..graph.walk import leaves_of
from ..program.names import printable
from .calls import Call, call_of, own

Tensors = Callable[[Any], Iterator[Any]]


def note_inputs(call: Call, module: Any, given: Any, tensors_in: Tensors) -> None:
    """A module is called with these arguments by position."""
    names = _names(module) if call.outer is None else []
    for at, argument in enumerate(given):
        _add(call, names[at] if at < len(names) else f"argument {at + 1}", argument, tensors_in)


def note_keywords(call: Call, keywords: Any, tensors_in: Tensors) -> None:
    """These are its arguments by keyword: a dict, or a list that holds one."""
    for one in [keywords] if isinstance(keywords, dict) else keywords:
        for name, argument in one.items():
            _add(call, name, argument, tensors_in)


def note_outputs(call: Call, tensors: list[Any]) -> None:
    """It returned these. Of a module that called others, those count, and not its own result."""
    if call.activations is None:
        call.activations = sum(one.numel() * one.element_size() for one in tensors)
        call.unrecorded = int(not any(one.requires_grad for one in tensors))
    if call.outer is not None:
        call.outer.activations = (call.outer.activations or 0) + call.activations
        call.outer.unrecorded += call.unrecorded


def _add(call: Call, name: str, argument: Any, tensors_in: Tensors) -> None:
    tensors = list(tensors_in(argument))
    for nr, tensor in enumerate(tensors, 1):
        # What has a history is connected by it.
        memory = None if tensor.requires_grad else storage_of(tensor)
        call.memory += (memory[0] if memory else 0,)
        part = f", part {nr}" if len(tensors) > 1 else ""
        call.names += (printable(name) + part,) * (call.outer is None)


def _names(module: Any) -> list[str]:
    """How `forward` calls its arguments by position; nothing of the program runs to find out."""
    kinds = [vars(kind) for kind in type(module).__mro__]
    scopes = [object.__getattribute__(module, "__dict__"), *kinds]
    found = next((scope["forward"] for scope in scopes if "forward" in scope), None)
    if type(found) is not FunctionType:
        return []
    first = int("forward" not in scopes[0])  # without `self`
    return list(found.__code__.co_varnames[first:found.__code__.co_argcount])


def weigh(nodes: list[Any], models: list[Any]) -> None:
    """Note how many bytes the nodes of each call hold: each memory once, and no parameters."""
    counted = {place[0] for place in map(storage_of, _weights(nodes, models)) if place}
    fresh: set[int] = set()
    for node in nodes:
        around = call.around if (call := call_of(node)) else ()
        for one in around:
            if one.number not in fresh:
                fresh.add(one.number)
                one.saved = 0
        for row in saved_by(node, settings=False) if around else ():
            place = storage_of(row.value) if row.state == "kept" and is_tensor(row.value) else None
            if place and place[0] not in counted:
                counted.add(place[0])
                for one in around:
                    one.saved = (one.saved or 0) + place[1]


def _weights(nodes: list[Any], models: list[Any]) -> list[Any]:
    inside = [part for model in models for part in inner_modules(model).values()]
    found = [one for part in inside for name in ("_parameters", "_buffers")
             for one in own(part, name).values() if is_tensor(one)]
    return found + leaves_of(nodes)
