"""What a picture says of the gradients that passed: at one operation, and in a fold of many."""
from __future__ import annotations

from math import isnan
from typing import Any

from .facts import number
from .model import ALARMS, Box, Gradient, Graph
from .node_records import passed, record_of
from .norms import Numbers


def gradient_of(node: Any) -> Gradient:
    """What passed a node, as a picture shows it."""
    found, of_pass = passed(node), record_of(node).get("of_pass", 0)
    if not found:
        words = () if found is None else ("gradient: not in the last pass",)
        return Gradient(words, of_pass=0 if found is None else of_pass)
    if all(one is None for one in found):
        return Gradient(("gradient None",), "none", of_pass=of_pass)
    lines = []
    for at, one in enumerate(found):
        lines += _lines("gradient" if len(found) == 1 else f"gradient {at}", one)
    norms = tuple(one.norm for one in found if one is not None and one.norm is not None)
    arrived = {alarm for one in filter(None, found) for alarm, count in
               (("nan", one.nans), ("infinite", one.infinite)) if count}
    alarm = next((alarm for alarm in ALARMS if alarm in arrived), "")
    sent = record_of(node).get("sent")
    if sent and not arrived & {"nan", sent}:  # it began here
        alarm = f"sends {sent}"
    return Gradient(tuple(lines), alarm, norms, of_pass)


def drop_other_passes(graph: Graph) -> None:
    """Leave out what an AccumulateGrad received in a pass through another graph of its leaf."""
    passes = {op.gradient.of_pass for op in graph.ops if op.kind == "op"}
    for op in graph.ops:
        op.gradient = op.gradient if op.gradient.of_pass in passes else Gradient()


def _lines(name: str, one: Numbers | None) -> list[str]:
    if one is None or one.norm is None:
        return [f"{name} None" if one is None else f"{name} of {one.size} numbers"]
    share = min(max(100 * one.zeros / (one.size or 1), 1), 99)
    zeros = "all zero" if one.zeros == one.size else f"{share:.0f}% zeros" if one.zeros else ""
    alarms = [f"{count} {word}" for count, word in ((one.nans, "NaN"), (one.infinite, "infinite"))
              if count]
    return [f"{name} norm {number(one.norm)}", *[zeros] * bool(zeros), *alarms]


def tell_gradients(box: Box, inside: list[Box]) -> None:
    """Let a fold show the range of the gradients' norms inside of it, and their alarms."""
    box.mark = box.mark or next((mark for mark in ALARMS
                                 if any(one.mark == mark for one in inside)), "")
    norms = [norm for one in inside for norm in one.norms if not isnan(norm)]
    if norms and not box.norms:
        box.norms = min(norms), max(norms)
        if box.inside is not None and box.inside.call is not None and box.inside.call.grad_out:
            return  # its own line says what arrived at both of its ends
        box.lines.append(f"gradient norm {' to '.join(map(number, dict.fromkeys(box.norms)))}")
