"""For `why`: gradients that vanish on the way, or that an operation without a slope leaves."""
from __future__ import annotations

from math import prod, sqrt
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_node
from ..graph.kept import stem_of
from ..graph.patterns import ONE_NUMBER, of_one_number
from ..graph.walk import is_accumulate
from ..watching.events import taken_of
from ..watching.pass_notes import noted_of
from ..watching.write_records import hooked_at
from .answer import Answer, place
from .evidence import Case
from .extreme_numbers import UNKNOWN, WATCH
from .gradient_hooks import came, hook_factor, hook_there, last_pass
from .zero import OTHER, SQUASHING, of_squashing, slope_of, watched_slope

SMALL_SLOPE = 1e-3  # an operation whose slopes are all smaller is called saturated
VANISHED = 1e-6  # times the largest gradient behind the same result
RELU = Fix("Use relu between the layers in place of {}.", OTHER)
SAME = "so its result is the same whatever it takes, and its slope is 0."
OUT = Fix("Take this normalisation out, or normalise over several numbers.", OTHER)


def one_number(case: Case) -> Answer | None:
    """What rounding left of a gradient that came through a normalisation of a single number."""
    found, is_ = case.common.numbers(case.tensor.grad), "is"
    step = next((one for one in reversed(case.history) if one.kind == "step"), None)
    if step is not None and not (found and found.norm):
        found, is_ = step.grad, "was"
    if found and (found.norm is None or found.norm >= SMALL_SLOPE):  # other passes brought more
        return None
    size = f" (its norm {is_} {found.norm:.3g})" if found and found.norm else ""
    opening = f"{case.name}.grad {is_} 0{' but for rounding' * bool(size)}{size}"
    single = _single(case)
    for node in case.narrow if single else ():
        words = single.get(id(node), "")
        at = [at for at, one in enumerate(case.common.inputs(node)) if one in case.reached][:1]
        if words and at == [0]:
            return Answer("no slope", f"{opening}: {case.named(node)} {words}, {SAME}"
                          f"{_came_to(case, node)}", [OUT], [node])
        if words and at == [1]:
            return Answer("no slope", f"{opening}: {case.named(node)} {words}, and the 0 that "
                          f"this gives is multiplied by {case.name}.", [OUT], [node])
    for one in noted_of(case.tensor, "pattern") if not case.behind else ():
        if one.kind[0] == ONE_NUMBER:
            return Answer("no slope", f"{opening}: {one.node}{place(one.line)} {one.kind[1]}, "
                          f"{SAME}", [OUT], [case.tensor], line=one.line)
    return None


def _single(case: Case) -> dict[int, str]:
    """By the id of a node behind the result that normalises over a single number: what it does."""
    return case.common.once("one number", case.behind, lambda: {
        id(node): words for node in case.behind if (words := of_one_number(node))})


def of_constants(case: Case, found: Answer) -> Answer | None:
    """What was found of a node that sent zeros, where it was given what such a node made alone."""
    node = next((one for one in found.guilty if is_node(one)), None)
    single, waiting, ends, seen = _single(case), [node], list[Any](), set[int]()
    while waiting and single:
        one = waiting.pop()
        if one is None:  # data, or a node that isn't known
            return None
        if id(one) in single:
            ends.append(one)
        elif id(one) not in seen and not is_accumulate(one):
            waiting += [before for before, _ in one.next_functions]
        seen.add(id(one))
    if not ends:
        return None
    opening, words = found.sentence.partition(": ")[0], single[id(ends[0])]
    return Answer("no slope", f"{opening}: {case.named(ends[0])} {words}, so its result is the "
                  f"same whatever it takes, and {case.named(node)}, which sent back no gradient, "
                  "was given nothing else.", [OUT], ends[:1])


def _came_to(case: Case, node: Any) -> str:
    for _, arrived, _, passed in case.steps(node):
        if arrived.norm and passed and passed.norm:
            return (f" A gradient of the norm {arrived.norm:.3g} arrived there in the last pass, "
                    f"and rounding left {passed.norm:.3g}.")
    return ""


def vanishing(case: Case) -> Answer | None:
    """A gradient that saturated operations made small, or many squashing ones after each other."""
    found = case.common.numbers(case.tensor.grad)
    if not found or not found.norm or not found.size:
        return None
    opening = f"The norm of {case.name}.grad is {found.norm:.3g}"
    own = case.common.typical_of(case.tensor)
    largest = case.common.once("largest", case.behind, lambda: max(
        case.leaves, key=case.common.typical_of, default=case.tensor))
    size = case.common.typical_of(largest)
    # A weight is multiplied by its input, which may be large; the bias beside it shows what came.
    least, beside = min([(found.norm, ""), *((its.norm, case.names.of(one))
                         for one in _layer(case) if "." in case.name
                         and (its := case.common.numbers(one.grad))
                         and its.norm and its.norm < found.norm)])
    if least >= SMALL_SLOPE and own > VANISHED * size:
        return None
    nodes = [node for node in case.narrow if stem_of(node.name()) in SQUASHING]
    end = case.common.numbers(case.result[1]) if case.result else None
    # where the result is near to 0, small gradients are no wonder
    near = end is not None and end.norm is not None and end.norm < 0.01
    for node in nodes if least < SMALL_SLOPE and not near else ():
        slope = case.common.once("slope", node, lambda: slope_of(case, node)  # noqa: B023
                                 ) if stem_of(node.name()) != "LogSoftmax" else None
        slope = watched_slope(case, node) if slope is None else slope
        if slope is not None and slope < SMALL_SLOPE:
            more = f", and that of {beside}.grad {least:.3g}" if beside else ""
            return Answer("saturated", f"{opening}{more}: {case.named(node)} is saturated, as its "
                          f"largest slope is {slope:.3g}.", of_squashing(case, node), [node])
    if own > VANISHED * size or _invariant(case) or _shrank_later(case, largest):
        return None
    opening += (f", while {case.names.of(largest) or 'another leaf'} behind the same result has "
                f"one whose numbers are about {size / own:.2g} times as large")
    most, last, line = sqrt(own / size), last_pass(case), hooked_at(case.tensor)
    factor = hook_factor(last) if last is not None else None
    if last is not None and factor is not None and factor <= most:
        return Answer("vanishing", f"{opening}: a gradient of the norm {came(last):.3g} arrived, "
                      f"and its hook{place(line)} left {factor * came(last):.3g}.",
                      [], [case.tensor], line=line)
    shrank = _shrank(case, largest)
    measured, share = bool(shrank), 1.0
    stems = [stem_of(node.name()) for node in nodes]
    if measured:  # the kinds of operations that made half of the difference, in powers of ten
        stems = []
        for stem, factors in sorted(shrank.items(), key=lambda row: prod(row[1])):
            if share > most and len(set(stems)) < 2:
                share *= prod(factors)
                stems += [stem] * len(factors)
    if measured and share <= most and (hooked := [one for one in stems if " has a hook" in one]):
        return Answer("vanishing", f"{opening}: {prod(shrank[hooked[0]]):.2g} of its norm was left "
                      f"at one place on its way.{hooked[0]}", [], [case.tensor])
    if share > most if measured else set(stems) <= {"LogSoftmax"}:
        which = "no kind of operation alone made it so" if measured else f"{UNKNOWN} it shrank"
        return Answer("not known", f"{opening}: {which}.", [WATCH])
    kinds = ", ".join(f"{stem}Backward0" for stem in dict.fromkeys(stems))
    names = " and ".join(sorted({stem.lower() for stem in stems}))
    relu = [Fix(RELU.words.format(names), OTHER)] * (set(stems) <= set(SQUASHING))
    through = f"through {len(stems)} operation{'s' * (len(stems) > 1)}"
    small = " with a small slope" * bool(relu)
    said = (f"it shrinks on its way {through}{small} ({kinds}), which left {share:.2g} of its norm"
            if measured else f"it came {through}{small} ({kinds}), and what each of them left of "
            "it was not measured")
    guilty = [node for node in case.narrow if stem_of(node.name()) in stems][-1:]
    return Answer("vanishing", f"{opening}: {said}.", relu, guilty)


def _shrank(case: Case, largest: Any) -> dict[str, list[float]]:
    """What operations left of the norm of a gradient in a watched pass, by their kinds.

    Left out is what also leads to the largest gradient, and a product of two computed values or
    parameters, as by a scale that begins small on purpose. A sentence about a hook is a kind, too.
    """
    found: dict[str, list[float]] = {}
    shared = case.common.once("shared", largest, lambda: Case(
        largest, case.names, case.loss, case.common).reached)
    narrow = {id(node) for node in case.narrow}
    for node, arrived, before, passed in case.steps():
        gated = stem_of(node.name()) in ("Mul", "Div") and all(
            one is not None for one, _ in node.next_functions)
        if (id(node) in narrow and id(before) not in shared and arrived.norm and passed
                and passed.norm and len(case.users[id(before)]) == 1):
            kind = hook_there(case, node) or stem_of(node.name()) * (not gated)
            found.setdefault(kind, []).append(passed.norm / arrived.norm)
    found.pop("", None)
    return found


def _shrank_later(case: Case, largest: Any) -> bool:
    """Whether it was no smaller in the first step: it shrank as the parameters were trained."""
    first = [(taken.first.grad if (taken := taken_of(leaf)).first else None)
             for leaf in (case.tensor, largest)]
    own, most = (found.norm / found.size ** 0.5 if found and found.size and found.norm else 0
                 for found in first)
    return own > VANISHED * most > 0


def _invariant(case: Case) -> bool:
    """Whether this is a bias that what follows, such as BatchNorm, takes out again."""
    own = case.common.typical_of(case.tensor)
    return len(case.tensor.shape) < 2 and any(
        case.common.typical_of(one) > 1e3 * own for one in _layer(case))


def _layer(case: Case) -> list[Any]:
    """The leaves behind the result that are in the same module, such as a weight and its bias."""
    found = case.common.once("layers", case.leaves, lambda: _by_module(case))
    return found.get(case.name.rpartition(".")[0], [])


def _by_module(case: Case) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for one in case.leaves:
        found.setdefault(case.names.of(one).rpartition(".")[0], []).append(one)
    return found
