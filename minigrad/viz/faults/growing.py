"""For `why`: values such as averages of weights, whose graph grows in each step."""
from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..drawing.explanation import Fix
from ..graph.facts import is_written_view
from ..graph.node_records import Line, record_of
from ..graph.walk import leaves_of
from ..watching.history import steps
from .answer import Answer, place
from .common import Common
from .evidence import Case

FEWEST = 3  # steps, so that no finding rests on a few


class Growing(NamedTuple):
    """A variable behind which each step leaves as many operations of one line, which no pass saw.
    """

    name: str
    line: Line
    operations: int  # in all
    each: int  # those of a step
    steps: int
    leaves: set[int]  # the ids of those behind it


def grows(case: Case) -> Answer | None:
    found = case.common.once("growing", case.names, lambda: list(_growing(case.common)))
    one = next((one for one in found if id(case.tensor) in one.leaves), None)
    return one and Answer(
        "grows", f"{one.name} is computed from {case.name} with its history: the graph behind it "
        f"holds {one.operations} operations of one line{place(one.line)}, {one.each} more with "
        f"each of {one.steps} steps, and no pass came to them. It goes on growing, and so does the "
        "memory for it.",
        [Fix("Run that line under `with torch.no_grad():`.",
             "no gradient flows through what it computes")], [case.tensor], line=one.line)


def _growing(common: Common) -> Iterator[Growing]:
    orders = [step.order for step in steps()]
    if not any(len(found) >= FEWEST for found in _by_line(common.nodes, orders).values()):
        return
    for name, one in common.names.tensors.items():
        if is_written_view(one) or one.grad_fn is None:
            continue
        line, nodes = record_of(one.grad_fn).get("place"), common.behind(one.grad_fn)[0]
        found = _by_line(nodes, orders).get(line, Counter())
        _, *later = [found[at] for at in sorted(found)] or [0]  # the first begins the graph
        if line and len(found) >= FEWEST and len(set(later)) == 1:
            yield Growing(name, line, found.total(), later[0], len(later),
                          set(map(id, leaves_of(nodes))))


def _by_line(nodes: list[Any], orders: list[int]) -> dict[Any, Counter[int]]:
    """By line: how many operations that no pass came to were recorded after each of the steps."""
    found: dict[Any, Counter[int]] = defaultdict(Counter)
    for record in map(record_of, nodes):
        if "order" in record and "ran" not in record:
            found[record.get("place")][bisect(orders, record["order"])] += 1
    return found
