"""Calls of grad() that differentiate what an earlier grad() returned: what came of them."""
from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple
from weakref import ref

from ..graph.facts import is_tensor, shape_of
from ..graph.kept import stem_of
from ..graph.node_records import Line, note, record_of
from ..graph.walk import is_accumulate, leaves_of, shapes_of
from ..program.lines import listed
from .here import WhileAlive, here, measured, order
from .large import numbers

IN_PIECES = ("Relu", "LeakyRelu", "Threshold", "Hardtanh", "Abs", "Clamp", "ClampMin", "Prelu")


class Second(NamedTuple):
    """Calls of one line, and how many of them returned zeros alone."""

    line: Line | None
    of: int  # which derivative they computed: 2 is that of a gradient
    columns: int  # of their input over which they summed; 0: they did not


_known: WhileAlive[dict[Second, list[Any]]] = WhileAlive()  # by leaf: last call, calls, zeros, node


def seconds_of(leaf: Any) -> list[tuple[Second, int, int, str]]:
    """(what, calls, those that returned zeros alone, a node with a slope that is constant in
    pieces, or "") for the calls of the watch that is judged, in the passes of which a leaf was.
    """
    return [(one, *found) for one, (at, *found) in (_known.get(leaf) or {}).items()
            if at > here.since]


@measured
def note_derivative(asked: dict[str, Any], nodes: list[Any], result: Any,
                    line: Line | None) -> None:
    """A grad() has returned its result; `nodes` are those behind its outputs."""
    with suppress(Exception):  # watching never fails in the place of the program
        inputs, outputs, given = (listed(asked.get(one)) for one in (
            "inputs", "outputs", "grad_outputs"))
        of = 1 + max((record_of(node).get("derivative", 0) for node in nodes), default=0)
        for one, grad in zip(inputs, result):
            if is_tensor(grad) and grad.grad_fn is not None:
                note(grad.grad_fn, derivative=of, gradient_of=ref(one))
        if of == 1:
            return
        zero = all(found is None or found.norm == 0 for found in map(numbers, result))
        pieces = next((node.name() for node in nodes if stem_of(node.name()) in IN_PIECES), "")
        found = Second(line, of, _summed(inputs, outputs, given))
        for leaf in leaves_of(list(filter(is_accumulate, nodes))):
            known = _known.setdefault(leaf, dict).setdefault(found, [0, 0, 0, pieces])
            if known[0] < max(one.since for one in here.watches):  # those of a watch before
                known[1:3] = 0, 0
            known[:3] = next(order), known[1] + 1, known[2] + zero


def _summed(inputs: list[Any], outputs: list[Any], given: list[Any]) -> int:
    """The columns over which a grad() sums a gradient of the same input, by ones or sum(), or 0."""
    shape = shape_of(inputs[0])
    if len(inputs) != 1 or len(outputs) != 1 or type(inputs[0]).__name__ == "Parameter" or (
            len(shape) != 2 or min(shape) < 2):
        return 0
    node = outputs[0].grad_fn
    if shape_of(outputs[0]) == () and stem_of(node.name()) == "Sum":
        node = node.next_functions[0][0]
    elif not any(is_tensor(one) and bool((one == 1).all()) for one in given):
        return 0
    of = record_of(node).get("gradient_of")
    return shape[1] if of is not None and of() is inputs[0] and shapes_of(node) == [shape] else 0
