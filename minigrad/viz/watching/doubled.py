"""Which passes added to a gradient by mistake, and which start as an earlier one did.

`loss.backward(retain_graph=True)` and `loss.backward()` add the same gradient twice. Passes with
`create_graph=True` are left out, since a program may go on with what they recorded.
"""
from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from math import inf, isclose
from typing import Any, NamedTuple

from ..graph.facts import is_tensor
from ..graph.node_records import note, record_of
from ..graph.norms import Numbers
from ..graph.walk import in_forward_order
from ..program.lines import listed
from . import history
from .events import Event

LONGEST = 10_000  # numbers of a given gradient that are compared; a longer one counts as another
CLOSE = 1e-3  # two norms that differ by less are called the same


def doubled(events: list[Event]) -> Event | None:
    """The pass that added to a gradient by mistake; None for a sum that the program means to have.

    It is one if a step was taken with the old gradient, and another with the sum; or if there was
    no step at all. Several losses, and accumulation over some passes, have a step after them alone.
    """
    mistake = added = None
    stepped = False  # whether a step was taken with the gradient that is there
    for event in events:
        if event.kind == "emptied":
            stepped, added = False, None
        elif event.kind == "pass":
            added = event if event.added else added
            mistake = added if mistake and event.added else mistake
        else:  # a step, in an optimizer's hands or in others
            mistake = added if stepped and added else mistake
            stepped, added = True, None
    anybody = any(event.kind in ("step", "written") for event in events)
    return mistake or (None if anybody else added)


class Started(NamedTuple):
    """A pass, and how often its result has been started from since the last step or zeroing."""

    event: Event
    times: int
    alone: bool  # nothing but passes of this result is in the gradient


class Repeated(NamedTuple):
    """Passes that added the gradient of one result several times before a step took the sum."""

    first: Event
    last: Event
    step: Event
    times: int


def repeated(events: list[Event]) -> Repeated | None:
    """The last passes of one result with neither a step nor a zeroing between them, and their step.

    Without a step of an optimizer nothing is said: the sum may be what the program shows.
    """
    found = twice = last = None
    passes: dict[int, Started] = {}
    for event in events:
        if event.kind == "pass":
            before = passes.get(event.repeats)
            alone = not event.added if before is None else before.alone and before.event is last
            started = Started(event, 1 + (before.times if before else 0), alone)
            if before and _adds_the_same(before, started):
                twice = before.event, started
            passes[event.of_pass], last = started, event
        else:
            if event.kind == "step" and twice is not None:
                found = Repeated(twice[0], twice[1].event, event, twice[1].times)
            passes, twice = {}, None
    return found


def part_twice(events: list[Event]) -> tuple[Event, Event, Event] | None:
    """The passes of a part and of the whole before one step, in this order, and that step."""
    passes: dict[int, Event] = {}
    twice = None
    for event in events:
        if event.kind == "pass":
            before = passes.get(abs(event.part))
            if before is not None and event.added:
                twice = (before, event) if event.part > 0 else (event, before)
            passes[event.of_pass] = event
        elif event.kind == "step" and twice is not None:
            return *twice, event
        else:
            passes, twice = {}, None
    return None


def taken_by_steps() -> dict[int, list[tuple[Event, Event]]]:
    """By pass: its events of leaves that a step took next, each with that step."""
    found: dict[int, list[tuple[Event, Event]]] = {}
    for _, known in history.known_leaves.items():
        latest = None
        for event in known.events:
            if event.kind == "step" and latest is not None:
                found.setdefault(latest.of_pass, []).append((latest, event))
            latest = event if event.kind == "pass" else None
    return found


def _adds_the_same(before: Started, now: Started) -> bool:
    """Whether a pass added what the one before it had; a hook or a Function may do otherwise."""
    first, second = _norm(before.event.arrived), _norm(now.event.arrived)
    same = now.event.added and 0 < first < inf and isclose(first, second, rel_tol=CLOSE)
    sums = _norm(before.event.grad) / before.times, _norm(now.event.grad) / now.times
    return same and (not now.alone or isclose(*sums, rel_tol=CLOSE))


def _norm(found: Numbers | None) -> float:
    return 0.0 if found is None or found.norm is None else found.norm


def repeated_pass(roots: list[Any], asked: Mapping[str, Any], number: int) -> int:
    """Return the number of the earlier pass that started like this one, or 0, and note this one.

    Args:
        roots: what the pass starts from: tensors, or edges of the graph.
        asked: the arguments of the call, by name.
        number: that of this pass.
    """
    if period(asked) is None:
        return 0
    given = listed(asked.get("gradient", asked.get("grad_tensors")))
    gradients = map(_plain, given or [None] * len(roots))
    earlier = {_note_start(root, gradient, number) for root, gradient in zip(roots, gradients)}
    return earlier.pop() if len(earlier) == 1 else 0


def _note_start(root: Any, gradient: Any, number: int) -> int:
    """Note in the node of a root that a pass starts from it; the number of the pass before it."""
    node = getattr(root, "node", getattr(root, "grad_fn", None))
    starts = record_of(node).get("starts", {})
    start = gradient, _last_step()
    before, known = starts.get(getattr(root, "output_nr", 0), (0, None))
    note(node, starts={**starts, getattr(root, "output_nr", 0): (number, start)})
    return before if known == start else 0


def period(asked: Mapping[str, Any]) -> int | None:
    """The last step before a pass; None for one that may leave .grad as it is, as grad() does."""
    if "outputs" in asked or asked.get("create_graph") or asked.get("grad_variables") is not None:
        return None
    return _last_step()


def _last_step() -> int:
    steps = history.steps()[-1:]
    return steps[0].order if steps else 0


def parts_of(roots: list[Any], nodes: list[Any], since: int, number: int) -> dict[int, int]:
    """Where a pass starts from a part of an earlier one's result since a step, or the other way.

    By the id of each node that both go through: the number of the earlier pass, negative if it was
    the whole. Passes from several results, or with given gradients, are left out.
    """
    found: dict[int, int] = {}
    root = getattr(roots[0], "grad_fn", None) if len(roots) == 1 else None
    if root is None:
        return found
    known = record_of(root)
    own = any(one == known.get("of_pass") for one, _ in known.get("starts", {}).values())
    if known.get("since") == since and not own:
        return dict.fromkeys(map(id, nodes), -known.get("of_pass", 0))
    for node in nodes:
        if node is not root and (earlier := _started(node, since, number)):
            found.update(dict.fromkeys(map(id, in_forward_order([node])), earlier))
    return found


def _started(node: Any, since: int, number: int) -> int:
    """The last other pass since a step that started from what a node made, a single number."""
    starts = record_of(node).get("starts", {}).values()
    return max((one for one, start in starts if start == (None, since) and one != number),
               default=0)


def _plain(gradient: Any) -> Any:
    """What can be compared of a given gradient; None where none was given.

    A single number may be a weight that happens to be the same, so it equals nothing.
    """
    if gradient is None:
        return None
    with suppress(Exception):  # sparse, nested, without numbers
        if is_tensor(gradient) and 1 < gradient.numel() <= LONGEST:
            return hash(tuple(gradient.detach().flatten().tolist()))
    return object()
