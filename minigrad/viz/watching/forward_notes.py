"""What a watch notes of a module's call for the picture of the forward pass.

It is plain: the names of the model's inputs, which module takes which of them, and how many bytes
the modules returned. `Call` has a field for each.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from ..graph.facts import storage_of
from ..program.names import printable
from .calls import Call

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
