"""For `why`: gradients that are zero, and gradients that vanish on the way."""
from __future__ import annotations

from math import prod, sqrt
from typing import Any

from ..drawing.explanation import Fix
from ..graph.kept import stem_of
from ..graph.norms import numbers
from ..graph.walk import shapes_of
from ..watching.pass_notes import Noted, noted_of
from ..watching.records import hooked_at
from .answer import Answer, place
from .edges import SOFTMAX
from .evidence import Case
from .hooks import came, hook_factor, hook_there, hooks_on_the_way, last_pass
from .minimum import is_hinge, least_of
from .numbers import UNKNOWN, WATCH, bad_result
from .recurrent import all_zero, reverse_of_last
from .steps import first_step, zero_at_first

FLAT = ("Round", "Floor", "Ceil", "Trunc", "Sign")  # operations whose slope is 0 everywhere
SQUASHING = ("Sigmoid", "Tanh", *SOFTMAX)
SMALL_SLOPE = 1e-3  # an operation whose slopes are all smaller is called saturated
VANISHED = 1e-6  # times the largest gradient behind the same result
REVIVE = Fix("Use `softplus` in its place.", "softplus is never exactly 0")
OTHER = "another function is trained"
NEARER = Fix("Bring its input nearer to 0: normalise the data, or divide by a constant.", OTHER)
LOGITS = Fix("Give the scores to `F.binary_cross_entropy_with_logits`, without sigmoid.", "none")
WITHIN = Fix("Compute the loss from what it takes, and limit only what is shown; or divide that "
             "by a constant, so that it is within the limits.", OTHER)
RELU = Fix("Use relu between the layers in place of {}.", OTHER)


def zero(case: Case) -> Answer | None:
    events = case.history  # once emptied, the zeros are not those of a pass
    if not all_zero(case, case.tensor.grad) or events and events[-1].kind == "emptied":
        return None
    if found := bad_result(case):  # the zeros come from that
        return found
    opening = f"Every number of {case.name}.grad is 0"
    least = least_of(case)
    for node in case.narrow if least is None or not is_hinge(least) else ():
        found = case.common.once("flat", node, lambda: _flat(case, node))  # noqa: B023
        if flat := found or _factor(case, node):
            words, fixes, cause = flat
            return Answer(cause, f"{opening}: {case.named(node)} {words}.", fixes, [node])
    if case.result and least is not None:
        return Answer("minimum", f"{opening}, and so is {case.result[0]}: nothing is left to "
                      "improve with these data.", show=[case.result[1]])
    if found := reverse_of_last(case, opening):
        return found
    if turned := case.turn(lambda passed: bool(passed and passed.norm == 0)):
        if (many := case.cancelling(turned)) and not hook_there(case, turned):
            return Answer("adds up to 0", f"{opening}: what {many} operations sent adds up to 0.")
        stem = stem_of(turned.name())
        fixes = {"Relu": [REVIVE], "Clamp": [WITHIN], "Hardtanh": [WITHIN]}.get(stem, [])
        saturated, limited = stem in SQUASHING, ", as its input is not inside its limits there"
        why = limited if WITHIN in fixes else ", as it is saturated" * saturated
        return Answer("saturated" if saturated else "zero",
                      f"{opening}: the gradient was not 0 yet when it arrived at "
                      f"{case.named(turned)}, but all 0 when it left{why}."
                      f"{hook_there(case, turned)}",
                      _of_squashing(case, turned) if saturated else fixes, [turned])
    if answer := zero_at_first(case):
        return answer
    for one in noted_of(case.tensor, "sent") if not case.behind else ():
        if one.kind == ("sent", "zero"):
            return _noted_zero(case, opening, one)
    uses = len(case.users.get(id(case.node), ()))
    if uses > 1 and not case.was_watched:
        return Answer("not known", f"{opening}: {uses} operations took {case.name}, and whether "
                      "each sent 0, or what they sent adds up to 0, is not known.", [WATCH],
                      [case.tensor])
    said = f"{opening}: {UNKNOWN} it became 0.{hooks_on_the_way(case)}"
    return Answer("zero", said, [WATCH], [case.tensor], more=case.common.looked_at())


def _noted_zero(case: Case, opening: str, one: Noted) -> Answer:
    """Where a gradient became 0 in a watched pass whose graph is gone."""
    kind = stem_of(one.node)
    saturated = kind in SQUASHING and not one.hook
    hook = f" What {one.before} made has a hook{place(one.hook)}, which ran in between."
    flat = ", whose slope is 0 everywhere between its jumps" * (kind in FLAT)
    return Answer("saturated" if saturated else "zero",
                  f"{opening}: the gradient was not 0 yet when it arrived at "
                  f"{one.node}{place(one.line)}{flat}, but all 0 when it left"
                  f"{', as it is saturated' * saturated}.{hook * bool(one.hook)}",
                  [REVIVE] if kind == "Relu" else [NEARER] if saturated else [], [case.tensor],
                  line=one.hook or one.line)


def _flat(case: Case, node: Any) -> tuple[str, list[Fix], str] | None:
    """(what is flat, fixes, cause) where an operation certainly multiplies every gradient by 0."""
    kind = stem_of(node.name())
    if kind in FLAT:
        return ("has the slope 0 everywhere between its jumps", [Fix(
            f"Hide it from the pass: `y + (y.{kind.lower()}() - y).detach()`.",
            "the gradient is that of y")], "zero")
    if kind in SOFTMAX and (dim := case.dim(node)) is not None:
        shape = (shapes_of(node) or [()])[0]
        if shape and shape[dim] == 1:
            others = [at for at, size in enumerate(shape) if at and size > 1]  # 0: the samples
            users = {stem_of(user.name()) for user in case.users.get(id(node), ())}
            logits = Fix("Give the output to the loss without softmax: `F.binary_cross_entropy_with"
                         f"_logits(output.squeeze({dim}), target.float())`.", OTHER)
            fixes = [Fix(f"Take it over dimension {at}, which has {shape[at]} numbers.", OTHER)
                     for at in others if len(others) == 1] or [logits] * (users == {"NllLoss"})
            return (f"is taken over dimension {dim % len(shape)}, in which its input has one "
                    f"number, as its shape is {shape}, so its result is always "
                    f"{int(kind == 'Softmax')}", fixes, "zero")
    if kind == "Relu" and (all_zero(case, case.made(node)) or _none_above(case.taken(node), 0)):
        return "made nothing but zeros, as none of its inputs is above 0", [REVIVE], "zero"
    if kind in ("Clamp", "Hardtanh") and _outside(case, node):
        words = "is given nothing but numbers outside of its limits, where its slope is 0"
        return words, [WITHIN], "zero"
    if kind in SQUASHING and slope_of(case, node) == 0:
        fixes = _of_squashing(case, node)
        return "is saturated: all its results lie where its slope is 0", fixes, "saturated"
    return None


def _none_above(value: Any, limit: float) -> bool:
    found = numbers(value)
    return bool(found and found.size and found.norm is not None
                and not (value.detach() > limit).any())


def _outside(case: Case, node: Any) -> bool:
    kept, value = case.kept(node), case.taken(node)
    low, high = (kept.get(name, kept.get(f"{name}_val")) for name in ("min", "max"))
    if value is None or not all(one is None or isinstance(one, (int, float))
                                for one in (low, high)):
        return False
    below = value.detach() < (-float("inf") if low is None else low)
    return bool((below | (value.detach() > (float("inf") if high is None else high))).all())


def _factor(case: Case, node: Any) -> tuple[str, list[Fix], str] | None:
    """A product whose other factor is all 0, or was 0 until its first step."""
    pair = {"Mul": (0, 1), "Mm": (0, 1), "Bmm": (0, 1), "Addmm": (1, 2)}.get(
        stem_of(node.name()), ())
    ways = [at for at, one in enumerate(case.common.inputs(node)) if pair and one in case.reached]
    if len(ways) != 1 or ways[0] not in pair:
        return None
    other = pair[1 - pair.index(ways[0])]
    value = case.common.once(f"taken {other}", node, lambda: case.taken(node, other))
    if value is None or not all_zero(case, value) and not (
            was_zero := case.common.once("first step", value, lambda: first_step(case, value))):
        return None
    name = case.names.of(value) or "a constant"
    grad = case.common.numbers(value.grad) if value.requires_grad and value.is_leaf else None
    if grad is not None and grad.norm:
        moved = not all_zero(case, value) and was_zero
        so = "was 0 until its first step" if moved else "is all 0 until it moves"
        return f"multiplies by {name}, which {so}", [], "zero at first"
    return f"multiplies by {name}, all of whose numbers are 0", [Fix(
        f"Let {name} begin with other numbers than 0.", OTHER)], "zero"


# --- small, but not zero

def slope_of(case: Case, node: Any) -> float | None:
    """The largest slope of a squashing operation at what it made, where that is known."""
    value, kind = case.made(node), stem_of(node.name())
    found = numbers(value)
    if not found or not found.size or found.norm is None or found.nans or found.infinite:
        return None
    value = value.detach().exp() if kind == "LogSoftmax" else value.detach()
    slopes = 1 - value * value if kind == "Tanh" else value * (1 - value)
    return float(slopes.abs().max())


def _watched_slope(case: Case, node: Any) -> float | None:
    """The norm of what left an operation in a watched pass, against that of what arrived."""
    return next((passed.norm / arrived.norm for _, arrived, before, passed in case.steps(node)
                 if arrived.norm and passed and passed.norm is not None
                 and len(case.users[id(before)]) == 1), None)


def _of_squashing(case: Case, node: Any) -> list[Fix]:
    """What helps where sigmoid or the like is saturated."""
    after = [stem_of(user.name()) for user in case.users.get(id(node), ())]
    if stem_of(node.name()) == "Sigmoid" and after == ["BinaryCrossEntropy"]:
        return [LOGITS]
    return [NEARER]


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
        slope = _watched_slope(case, node) if slope is None else slope
        if slope is not None and slope < SMALL_SLOPE:
            more = f", and that of {beside}.grad {least:.3g}" if beside else ""
            return Answer("saturated", f"{opening}{more}: {case.named(node)} is saturated, as its "
                          f"largest slope is {slope:.3g}.", _of_squashing(case, node), [node])
    if own > VANISHED * size or _invariant(case):
        return None
    opening += (f", while {case.names.of(largest) or 'another leaf'} behind the same result has "
                f"one whose numbers are about {size / own:.2g} times as large")
    most, last = sqrt(own / size), last_pass(case)
    factor = hook_factor(last) if last is not None else None
    if last is not None and factor is not None and factor <= most:
        return Answer("vanishing", f"{opening}: a gradient of the norm {came(last):.3g} arrived, "
                      f"and its hook{place(hooked_at(case.tensor))} left {factor * came(last):.3g}.",
                      [], [case.tensor], line=hooked_at(case.tensor))
    shrank = _shrank(case, largest)
    measured, share = bool(shrank), 1.0
    stems = [stem_of(node.name()) for node in nodes]
    if measured:  # the kinds of operations that made half of the difference, in powers of ten
        stems = []
        for stem, factors in sorted(shrank.items(), key=lambda row: prod(row[1])):
            if share > most and len(set(stems)) < 2:
                share *= prod(factors)
                stems += [stem] * len(factors)
    if share > most if measured else set(stems) <= {"LogSoftmax"}:
        which = "no kind of operation alone made it so" if measured else f"{UNKNOWN} it shrank"
        return Answer("not known", f"{opening}: {which}.", [WATCH])
    kinds = ", ".join(f"{stem}Backward0" for stem in dict.fromkeys(stems))
    names = " and ".join(sorted({stem.lower() for stem in stems}))
    relu = [Fix(RELU.words.format(names), OTHER)] * (set(stems) <= set(SQUASHING))
    through = f"through {len(stems)} operation{'s' * (len(stems) > 1)}"
    small = " with a small slope" * bool(relu)
    said = (f"it shrinks on its way {through}{small} ({kinds}), which left {share:.2g} of its norm"
            if measured else f"{through}{small} ({kinds}) it came, and what each of them left of "
            "it was not measured")
    guilty = [node for node in case.narrow if stem_of(node.name()) in stems][-1:]
    return Answer("vanishing", f"{opening}: {said}.", relu, guilty)


def _shrank(case: Case, largest: Any) -> dict[str, list[float]]:
    """What operations left of the norm of a gradient in a watched pass, by their kinds.

    Left out is what also leads to the largest gradient, and a product of two computed values or
    parameters, as by a scale that begins small on purpose.
    """
    found: dict[str, list[float]] = {}
    shared = Case(largest, case.names, case.loss, case.common).reached
    narrow = {id(node) for node in case.narrow} - shared
    for node, arrived, before, passed in case.steps():
        gated = stem_of(node.name()) in ("Mul", "Div") and all(
            one is not None for one, _ in node.next_functions)
        if id(node) in narrow and not gated and arrived.norm and passed and passed.norm and len(
                case.users[id(before)]) == 1:
            found.setdefault(stem_of(node.name()), []).append(passed.norm / arrived.norm)
    return found


def _invariant(case: Case) -> bool:
    """Whether this is a bias that what follows, such as BatchNorm, takes out again."""
    own = case.common.typical_of(case.tensor)
    return len(case.tensor.shape) < 2 and any(
        case.common.typical_of(one) > 1e3 * own for one in _layer(case))


def _layer(case: Case) -> list[Any]:
    """The leaves behind the result that are in the same module, such as a weight and its bias."""
    module = case.name.rpartition(".")[0]
    return [one for one in case.leaves if case.names.of(one).rpartition(".")[0] == module]
