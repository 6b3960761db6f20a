"""Custom Functions whose backward writes into the gradient that it is given.

An engine may hand one tensor to several operations, as the backward of a sum does. What the other
ones get is then what was written, unless they have run before.
"""
from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..graph.facts import is_tensor, version_of
from ..graph.node_records import record_of
from ..program.custom_functions import own_backward
from .here import WhileAlive, measured
from .large import memory_of
from .write_records import bytes_of

Part = tuple[int, int, bool]  # the first byte, where the last number begins, no gaps between
Wrote = Callable[[Any, Any], None]  # the Function's node, who got the written numbers or None


class Handed:
    """The messages of one pass, by their memory. A pass without such a Function has no hooks."""

    def __init__(self, nodes: list[Any], wrote: Wrote) -> None:
        self.own = {id(node) for node in nodes if own_backward(node)}
        self.nodes, self.wrote = nodes if self.own else [], wrote
        self.messages: WhileAlive[list[tuple[Any, Any, int, Part]]] = WhileAlive()
        self.before: dict[int, list[int | None]] = {}

    def hooks(self) -> list[Any]:
        found = [node.register_prehook(self._noting(node)) for node in self.nodes
                 if id(node) in self.own]
        return found + [node.register_hook(self._looking(node)) for node in self.nodes]

    def _noting(self, node: Any) -> Callable[[Any], None]:
        @measured
        def note(grads: Any) -> None:
            self.before[id(node)] = [version_of(one) for one in grads]
        return note

    def _looking(self, node: Any) -> Callable[[Any, Any], None]:
        @measured
        def look(sent: Any, grads: Any) -> None:
            with suppress(Exception):  # watching never fails in the place of the program
                for one, version in zip(grads, self.before.pop(id(node), ())):
                    if is_tensor(one) and version_of(one) != version:
                        self.wrote(node, self._waiting(node, one))
                for one, (child, nr) in zip(sent, node.next_functions):
                    if is_tensor(one) and child is not None:
                        known = self.messages.setdefault(memory_of(one), list)
                        known.append((node, child, nr, _part(one)))
        return look

    def _waiting(self, writer: Any, grad: Any) -> Any:
        """The first operation that has still to run on these numbers, and on no sum of them."""
        part = _part(grad)
        for sender, child, nr, other in self.messages.get(memory_of(grad)) or ():
            if child is writer or record_of(child).get("ran") or not _overlap(part, other):
                continue
            if not any(record_of(one).get("ran") and (child, nr) in one.next_functions
                       for one in self.nodes if one is not sender and one is not writer):
                return child
        return None


def _part(grad: Any) -> Part:
    first, last = bytes_of(grad)
    return first, last, last - first == (grad.numel() - 1) * grad.element_size()


def _overlap(one: Part, other: Part) -> bool:
    """Whether two tensors share bytes; columns of one matrix lie between each other."""
    return one[0] == other[0] or (one[2] or other[2]) and one[0] <= other[1] and other[0] <= one[1]
