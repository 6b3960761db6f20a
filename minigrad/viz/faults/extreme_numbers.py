"""For `why`: gradients with NaN or infinite numbers, and gradients that are huge."""
from __future__ import annotations

import math
from functools import partial
from itertools import takewhile
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor, whole_number
from ..graph.kept import positions_of, saved_by, stem_of
from ..graph.walk import is_accumulate, shapes_of
from ..watching.events import Event
from ..watching.history import MOST, history_of
from ..watching.not_finite import MASKS, Made, first_made, made_by, made_of, masks_among
from ..watching.operands import Met, met
from ..watching.pass_notes import noted_of
from .answer import FINITE, Answer, place
from .edges import EDGES, OVER, edge_fixes, fixes_of, has_edge
from .evidence import SHAPES, Case
from .first_number import finite_fix, first_number
from .gradient_hooks import hook_there
from .singular import candidates, is_bad, singular
from .unused import norm_of

FEWEST = 4  # steps
LOGS = ("Log", "Log2", "Log10")
LARGE = 1e6  # a gradient with a larger norm is called huge
LIMIT = Fix("Limit it: `torch.nn.utils.clip_grad_norm_(parameters, 1.0)` before step().",
            "steps of the same direction, but of a limited length")
SHORTER = Fix("Take shorter steps: a smaller `lr`, or inputs and targets that are normalised.",
              "more of them may be needed")
WATCH = Fix("Run the program again under `with watch():`.",
            "every operation and every pass takes longer")
UNKNOWN = "the values that are still known don't tell where"


def not_finite(case: Case) -> Answer | None:
    found = case.common.numbers(case.tensor.grad)
    if found is None or not found.nans + found.infinite:
        return None
    bad = found.nans + found.infinite
    opening = f"{case.name}.grad has {bad} of {found.size} numbers that are NaN or infinite"
    if found.size == 1:
        opening = f"{case.name}.grad is {'NaN' if found.nans else 'infinite'}"
    if spoilt := _spoilt(case, case.behind):
        return spoilt._replace(sentence=f"{opening}: {spoilt.sentence}")
    turned = case.turn(lambda passed: bool(passed and passed.nans + passed.infinite), "sent")
    # what a node is given decides its slope, so the cause is at the node or before it
    near = case.common.behind(turned)[0] if turned else case.between
    answer = _first(case, near) or bad_value(case, near if turned else case.behind)
    if answer is None and turned is not None:
        words = _turned_words(_kind_of(case, turned), case.named(turned))
        words += hook_there(case, turned)
        answer = Answer("nan", words, edge_fixes(case, turned), [turned])
    answer = answer or _noted_nan(case, case.tensor)
    if answer is None:
        told, nodes = candidates(case)
        more = told or case.common.looked_at()
        answer = Answer("nan", f"{UNKNOWN} the first one was made.", [WATCH],
                        nodes or [case.tensor], more=more)
    return answer._replace(sentence=f"{opening}: {answer.sentence}")


def _spoilt(case: Case, nodes: list[Any]) -> Answer | None:
    """What came before the step that wrote NaN or infinity into a leaf of this pass."""
    leaves = [node.variable for node in nodes if is_accumulate(node)] or [case.tensor]
    spoilt = [leaf for leaf in leaves if _bad_step(leaf) and is_bad(case, leaf)]
    if not spoilt:
        return None
    leaf = min(spoilt, key=lambda one: _bad_step(one).order)
    events, bad = history_of(leaf), _bad_step(leaf)
    taken = [one.order <= bad.order for one in events if one.kind == "step"]
    which = f"step {sum(taken)} of {len(taken)}" if len(events) < MOST else "a step"
    since = f"{case.names.of(leaf) or 'a leaf'} has held NaN or infinity since {which}"
    since += place(bad.line)
    before = _noted_nan(case, leaf, bad.order)
    if before is None:
        words = " that took such a gradient." if not bad.is_finite() else (
            ". The gradient that this step took was finite.")
        return Answer("nan", since + words, [SHORTER] * bad.is_finite(), [leaf])
    return before._replace(sentence=f"{since}. Before that step, {before.sentence}")


def _first(case: Case, nodes: list[Any]) -> Answer | None:
    """The operation that made the first one, or one without a finite slope where it was used."""
    first = first_made(nodes)
    made = None if first is None else made_by(first)
    behind = nodes if first is None else case.common.behind(first)[0]
    near = [first] if made and made.clean else behind
    found = next(filter(None, (singular(case, node) for node in reversed(near))), None)
    return found or (_made(case, first, made) if made else None)


def _made(case: Case, node: Any, made: Any) -> Answer:
    line, masked = case.line(node), bool(masks_among(case.common.behind(node)[0]))
    made = made._replace(met=_met(case, node, made))
    return first_number(case, _kind_of(case, node), case.named(node), made, line, masked,
                        lambda: edge_fixes(case, node), [node])


def _met(case: Case, node: Any, made: Made) -> Met | None:
    """The two numbers that met in an operation, as a watch saw them or as they are known."""
    if made.met or made.alarm != "nan":
        return made.met
    given = [case.taken(node, at) for at, (before, _) in enumerate(node.next_functions[:2])
             if before is None or stem_of(before.name()) not in SHAPES]  # in its own layout
    return met(stem_of(node.name()), given, (shapes_of(node) or [()])[0], made.at)


def _kind_of(case: Case, node: Any) -> str:
    """The stem of its name, but "" for a power that has a finite slope everywhere."""
    kind = stem_of(node.name())
    return "" if kind == "Pow" and not has_edge(kind, case.kept(node).get("exponent")) else kind


def _noted_nan(case: Case, leaf: Any, until: float = math.inf) -> Answer | None:
    """The operation that made the first NaN in a watched pass of a leaf whose graph is gone."""
    found = list(noted_of(leaf, "made", "sent", until=until))
    sent = [one for one in found if one.kind == ("sent", "nan")]
    for one in found:
        if one.made and one.made.alarm == "nan" and stem_of(one.node) in LOGS and sent:
            continue  # of a negative number it has a finite slope, so that isn't where it began
        kind, where = stem_of(one.node), f"{one.node}{place(one.line)}"
        kind = "" if kind == "Pow" else kind  # its exponent is not known any more
        fixes = partial(fixes_of, kind, case.common.unused("value"))
        if one.made is not None:
            return first_number(case, kind, where, one.made, one.line, bool(one.before), fixes,
                                [case.tensor])
        if one.kind == ("sent", "nan"):
            return Answer("nan", _turned_words(kind, where), fixes(), [case.tensor], line=one.line)
    return None


def _turned_words(kind: str, where: str) -> str:
    edge = f": it {EDGES[kind].words}" if kind in EDGES and kind not in OVER else ""
    return f"the gradient was finite when it arrived at {where}, but not when it left{edge}."


def bad_result(case: Case) -> Answer | None:
    """A loss that is NaN, whatever the gradient is; or the tensor itself, if operations made it."""
    own = not case.tensor.is_leaf and is_bad(case, case.tensor)
    name, value = (case.name, case.tensor) if own else case.result or ("", None)
    if not own and not is_bad(case, value):
        return None
    nodes = case.common.behind(case.node)[0] if own else case.behind
    found = _spoilt(case, nodes) or _first(case, nodes) or bad_value(case, nodes)
    opening = f"{'' if own else case.name + FINITE}{name} is NaN or infinite"
    return found and found._replace(sentence=f"{opening}: {found.sentence}")


def bad_value(case: Case, nodes: list[Any]) -> Answer | None:
    """A NaN of the forward pass: in a leaf or a constant, or made by an operation."""
    found = [(node, case.common.numbers(case.made(node))) for node in nodes]
    nan = any(its and its.nans for _, its in found)
    for node, its in found:
        value = case.made(node)
        hands_on = nan and its is not None and not its.nans and (
            stem_of(node.name()) in MASKS or any(is_bad(case, case.taken(node, at))
                                                 for at in range(len(node.next_functions))))
        if hands_on or not is_bad(case, value) or is_accumulate(node) and _bad_step(value):
            continue
        if is_accumulate(node):
            return Answer("nan",
                          f"{case.names.of(value) or 'a leaf'} itself contains NaN or infinity: it "
                          "came with the data, or a step with such a gradient wrote it.",
                          [WATCH] if value.requires_grad and case.training.optimizers
                          else [finite_fix(case.names.of(value) or "it")], [value])
        given = {positions_of(node.name()).get(row.slot) for row in saved_by(node)}
        taken = [case.taken(node, at) for at, (before, _) in enumerate(node.next_functions)
                 if before is not None or at in given]
        constants = [name for name, one in case.names.tensors.items()
                     if not one.requires_grad and not whole_number(one) and is_bad(case, one)]
        clean = bool(taken) and not constants and all(map(is_tensor, taken)) and not any(
            is_bad(case, one) for one in taken)
        if clean or _met(case, node, made_of(value)):
            return _made(case, node, made_of(value))
        named = " and ".join(constants[:3])
        more = f"Among the constants, NaN or infinity is in {named}." if constants else ""
        told, before = candidates(case, case.common.behind(node)[0])
        if told and not constants:
            return Answer("nan", f"{case.named(node)} made a value that is NaN or infinite. {told}",
                          edge_fixes(case, before[0]) if len(before) == 1 else [], before)
        return Answer("nan", "the forward pass made the first one that is known, in "
                      f"{case.named(node)}.",
                      [finite_fix(named)] if constants else [], [node], more=more)
    return None


def _bad_step(leaf: Any) -> Any:
    """The first step that took NaN or infinity from a gradient, or left it in the leaf; or None."""
    return next((event for event in history_of(leaf) if event.kind == "step" and not (
        event.is_finite() and math.isfinite(event.weight or 0))), None)


def was_huge(case: Case) -> Answer | None:
    """A huge gradient that a step took earlier, and where it became so in a watched pass."""
    step = next((event for event in case.history if event.kind == "step" and event.grad is not None
                 and LARGE < (event.grad.norm or 0) < float("inf")), None)
    if step is None or step.grad is None:
        return None
    found = noted_of(case.tensor, "sent")
    grew = next((one for one in found if one.kind == ("sent", "huge")), None)
    where = f", and grew at {grew.node}{place(grew.line)}" if grew else ""
    return Answer("huge", f"The norm of {case.name}.grad was {step.grad.norm:.3g} when a step"
                  f"{place(step.line)} took it{where}.", [LIMIT], [case.tensor],
                  line=grew.line if grew else step.line)


def grew(case: Case) -> Answer | None:
    """Steps that were too long, and led to larger gradients. Each was longer than what came of it,
    so it went past where it began; one that goes on in the same direction doesn't.
    """
    chain: list[Event] = []
    for one in takewhile(Event.is_finite, case.history):
        if one.kind == "step":
            past = (one.update or 0) >= max(one.before or 0, one.weight or 0)
            chain = [*chain, one] if chain and past and norm_of(chain[-1]) < norm_of(one) else [one]
    norms, ratios = [*map(norm_of, chain)], [one.ratio or 0 for one in chain[1:]]
    if len(ratios) < FEWEST or norms[-1] < LARGE * norms[0]:
        return None
    return Answer("huge", f"The norm of {case.name}.grad grew in each of {len(ratios)} steps"
                  f"{place(chain[-1].line)}, from {norms[0]:.3g} to {norms[-1]:.3g}, and each of "
                  f"them changed {case.name} by at least {min(ratios):.3g} times the norm that it "
                  "had.", [SHORTER, LIMIT], [case.tensor], line=chain[-1].line)


def huge(case: Case) -> Answer | None:
    found = case.common.numbers(case.tensor.grad)
    norm = found.norm if found else None
    if norm is None or norm <= LARGE:
        return was_huge(case)
    opening = f"The norm of {case.name}.grad is {norm:.3g}"
    grown = [(passed.norm / arrived.norm, at, node) for at, (node, arrived, before, passed)
             in enumerate(case.steps()) if arrived.norm and passed and passed.norm
             and len(case.users[id(before)]) == 1]  # the sum of what several sent is nobody's alone
    watched = any(True for _ in case.steps())
    factor, _, node = max(grown, default=(0, 0, None))
    if factor < 100:
        unknown = "no single operation made it so" if watched else f"{UNKNOWN} it grew"
        return Answer("huge", f"{opening}: {unknown}.", [LIMIT] if watched else [WATCH, LIMIT],
                      [case.tensor], more=case.common.looked_at())
    scale = Fix("Scale the data or the factor so that it is near 1.", "the loss is scaled, too")
    return Answer("huge",
                  f"{opening}: the gradient behind {case.named(node)} has {factor:.3g} times "
                  f"the norm of the one that arrived there.{hook_there(case, node)}",
                  [scale, LIMIT], [node])
