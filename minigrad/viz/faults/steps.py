"""For `why`: gradients that add up over passes, and steps that find none, as they were emptied."""
from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import version_of
from ..graph.norms import numbers
from ..program.lines import line_words
from ..program.node_lines import Line
from ..watching.calls import calls_with
from ..watching.doubled import Repeated, part_twice, repeated, taken_by_steps
from ..watching.doubled import doubled as doubled_pass
from ..watching.events import Event
from ..watching.here import here
from ..watching.history import steps as every_step
from .answer import Answer, place
from .evidence import Case

SUM = "none, unless the sum of both passes is wanted"


def steps_of(case: Case) -> list[Event]:
    """The steps that a watch saw take the tensor."""
    return [event for event in case.history if event.kind == "step"]


def left_alone(case: Case) -> bool:
    """Whether a watch saw a call of the tensor's module and steps after it, and none took it."""
    _, calls = calls_with(case.tensor) or ("", [])
    return bool(calls) and not steps_of(case) and any(
        step.order > calls[0].number for step in every_step())


def doubled(case: Case, finite: bool = False) -> Answer | None:
    """A pass that added to a gradient that a step had used, or a second pass without a step.

    With `finite`, only what came before the gradient held NaN or infinity counts.
    """
    name, events, earlier = case.name, case.history, case.common.earlier(case.tensor)
    if finite:
        events, earlier = ([*takewhile(Event.is_finite, one)] for one in (events, earlier))
    found = doubled_pass(earlier)
    if found and found.order > here.since:
        steps = [one for one in earlier if one.kind == "step" and one.order < found.order]
        taken = f", with which a step{place(steps[-1].line)} had been taken" if steps else ""
        return Answer("doubled",
                      f"{name}.grad {'was' if finite else 'is'} a sum over passes: the pass"
                      f"{place(found.line)} added to the gradient that an earlier one had left "
                      f"there{taken}.",
                      [_empty_fix(case, bool(steps))], [case.tensor], line=found.line)
    if finite or any(one.kind == "pass" for one in events) or not version_of(case.tensor.grad):
        # a second pass writes to .grad in place
        return _repeated(case, repeated(events)) or _part_twice(
            case, part_twice(events)) or _left_by_another(case, events, finite)
    if (event := case.training.adding()) is None or not _ran_twice(case, event):
        return None
    stepped = any(kind == "step" for kind, _ in case.training.everywhere)
    return Answer("not emptied",
                  f"Nothing empties {name}.grad between one backward(){place(event.line)} "
                  "and the next, so it is a sum over passes as soon as a second one has run.",
                  [_empty_fix(case, stepped)], [case.tensor],
                  more="watch() tells which pass added to it.", line=event.line)


def _repeated(case: Case, found: Repeated | None) -> Answer | None:
    """Passes of one result before a step that took the sum of their gradients."""
    if found is None:
        return None
    first, last = found.first.line, found.last.line
    times = "twice" if found.times == 2 else f"{found.times} times"
    calls = [line_words(line) if line else "a line that is not known" for line in (first, last)]
    fix = f"Start one pass from it: remove the call in {calls[0]}, or that in {calls[1]}."
    if first == last:
        fix = f"Start one pass from it between two steps: {calls[0]} runs {times}."
    return Answer("doubled",
                  f"{case.name}.grad held the gradient of one result {times} when a step"
                  f"{place(found.step.line)} took it: the pass{place(last)} started from the same "
                  f"result as the pass{place(first)} before it, with neither a step nor a zeroing "
                  "between the two passes.",
                  [Fix(fix, SUM)], [case.tensor], line=last)


def _left_by_another(case: Case, events: list[Event], finite: bool) -> Answer | None:
    """A sum of two passes, between which another optimizer made the step that the first was for.

    That is so where the first pass went on from the tensor to what the other optimizer holds, as
    that of a generator's loss goes through the discriminator. What several losses share is nearer
    to the inputs than that, and is meant to have their sum.
    """
    sums = any(event.added for event in events)
    taken = case.common.once("taken", case.names, taken_by_steps) if sums else {}
    waiting: list[Event] = []
    found: tuple[Event, ...] = ()
    told: tuple[Event, ...] = ()
    emptied = False
    for event in events:
        if event.kind == "pass":
            for first in waiting if event.added else ():
                other = next((step for passed, step in taken.get(first.of_pass, ())
                              if first.order < passed.order < step.order < event.order), None)
                found = (first, event, other) if other else found
            waiting.append(event)
        else:
            told = (*found, event) if found and event.kind == "step" else told
            emptied = emptied or event.kind == "emptied" and len(waiting) > 1
            waiting, found = [], ()
    found = () if emptied else found  # an earlier sum was emptied, and no step took it
    if not (found or told):
        return None
    first, last, other = (found or told)[:3]
    name, by = case.name, other.name or f"the optimizer {other.optimizer}"
    held = f"{'held' if finite else 'holds'} the sum of two passes" if found else (
        f"held the sum of two passes when a step{place(told[3].line)} took it")
    empty = _empty_fix(case, True).words.partition(" before ")[0]
    before = f" ({line_words(last.line)})" if last.line else ""
    earlier = "an earlier one" if first.line == last.line else f"the pass{place(first.line)}"
    return Answer("doubled",
                  f"{name}.grad {held}: the pass{place(last.line)} added to what "
                  f"{earlier} had left there. Between them {by} took its step"
                  f"{place(other.line)} with the gradients of the first, and nothing emptied "
                  f"{name}.grad.", [Fix(f"{empty} before the second pass{before}.", "none")],
                  [case.tensor], line=last.line)


def _part_twice(case: Case, found: Any) -> Answer | None:
    """Passes of a sum and of a part of it before a step that took both."""
    if found is None:
        return None
    part, whole, step = found
    fix = f"Remove the call of backward(){place(part.line)}: the other one includes it."
    if part.line == whole.line:
        fix = "Call backward() once, on the whole sum, in place of once in each round."
    return Answer("doubled",
                  f"{case.name}.grad held the gradient of one part twice when a step"
                  f"{place(step.line)} took it: the pass{place(part.line)} started from a result "
                  f"that went into that of the pass{place(whole.line)}, with neither a step nor a "
                  "zeroing between the two passes.",
                  [Fix(fix, SUM)], [case.tensor], line=part.line)


def _ran_twice(case: Case, event: Any) -> bool:
    """Whether it took two passes to write to .grad in place, as one pass may sum several uses."""
    if not event.loops or len(case.users.get(id(case.node), ())) < 2:
        return True
    return any(type(round_ := case.program.held(loop.target)) is int and round_ > 0
               for loop in event.loops if isinstance(loop, ast.For)
               and isinstance(loop.target, ast.Name)
               and ast.unparse(loop.iter).startswith("range("))


def _empty_fix(case: Case, stepped: bool) -> Fix:
    holder = next((held for held, _, _ in case.training.holders), None)
    empty = f"{holder}.zero_grad()" if holder else f"{case.code}.grad = None"
    if not stepped:
        return Fix(f"Write `{empty}` between the two passes.", SUM)
    step = f"`{holder}.step()`" if holder else "the step"
    return Fix(f"Write `{empty}` before the passes whose gradients {step} is to take.", "none")


def emptied_too_early(case: Case) -> Answer | None:
    """Steps that found no gradient, each of them, as it had been emptied since the pass."""
    events = case.history
    if events:
        found = _steps_without(
            (one.kind, one.line, one.grad is not None and one.grad.norm != 0) for one in events)
    else:
        texts = [case.training.unrolled(), *case.training.of_functions()]
        found = next(filter(None, (_steps_without(_from_text(text)) for text in texts
                                   if not any(event.unsure for event in text))), None)
    if found is None:
        return None
    empty, step = found
    return Answer("emptied early",
                  f"A step{place(step)} found nothing in {case.name}.grad, as it had been "
                  f"emptied{place(empty)} after the pass, so {case.name} doesn't move.",
                  [Fix("Empty gradients after the step, or before backward(): exchange the two "
                       "lines.", "none")], [case.tensor], line=step)


def _steps_without(events: Iterable[tuple[str, Line | None, bool]]) -> (
        tuple[Line | None, Line | None] | None):
    """(zeroing, step) if gradients were emptied between a pass and a step that found none.

    Each event is given as its kind, its line, and whether there was a gradient.
    """
    passed, empty, found = False, None, None
    for kind, line, there in events:
        if kind == "pass":
            passed, empty = True, None
        elif kind == "emptied":
            empty = (line,)
        elif kind == "step" and there:
            return None
        elif kind == "step" and passed and empty:
            found = empty[0], line
    return found


def _from_text(events: list[Any]) -> Iterator[tuple[str, Line, bool]]:
    """The same of events in the text, as far as the order of the lines tells."""
    kinds, there = {"backward": "pass", "empty": "emptied"}, False
    for event in events:
        there = event.kind == "backward" or there and event.kind != "empty"
        yield kinds.get(event.kind, event.kind), event.line, there


def zero_at_first(case: Case) -> Answer | None:
    """A gradient of 0 that ends with the first step, as another parameter is 0 until then."""
    last = next((one for one in reversed(case.history) if one.kind == "pass"), None)
    if last is None or not last.zero_at_first:
        return None
    return Answer("zero at first", f"Every number of {case.name}.grad was 0 after the last pass"
                  f"{place(last.line)}, because {case.name} is multiplied by a parameter that was "
                  "0 until its first step.", line=last.line)


def first_step(case: Case, leaf: Any) -> bool:
    """Whether a leaf is no larger than one step of its optimizer: it was 0 before."""
    if leaf is None or not leaf.requires_grad or not leaf.is_leaf or leaf.grad is None:
        return False
    rate = max((group.get("lr") or 0 for _, one in case.training.optimizers
                for group in one.param_groups
                if any(held is leaf for held in group["params"])), default=0)
    found, grad = numbers(leaf), numbers(leaf.grad)
    if not rate or not found or not found.norm or not grad or not grad.norm:
        return False
    largest = float(leaf.detach().abs().max())
    return largest <= 1.01 * rate * max(1.0, float(leaf.grad.abs().max()))
