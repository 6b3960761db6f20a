"""For `why`: gradients that are zero."""
from __future__ import annotations

from typing import Any

from ..drawing.explanation import Fix
from ..graph.kept import stem_of
from ..graph.modules import inner_modules, members
from ..graph.norms import numbers
from ..graph.samples import SAMPLES
from ..graph.walk import shapes_of
from ..watching.calls import call_of
from ..watching.pass_notes import Noted, noted_of
from .answer import Answer, place
from .edges import SOFTMAX
from .evidence import Case
from .extreme_numbers import UNKNOWN, WATCH, bad_result
from .gradient_hooks import hook_there, hooks_on_the_way
from .minimum import is_hinge, least_of
from .recurrent import all_zero, reverse_of_last
from .sampled_zeros import WORDS, fix_of
from .steps import first_step, zero_at_first

FLAT = ("Round", "Floor", "Ceil", "Trunc", "Sign")  # operations whose slope is 0 everywhere
CURVES = ("Sigmoid", "Tanh")
SQUASHING = (*CURVES, *SOFTMAX)
ROWS = (", as it does where all numbers of a row receive the same (the sum of a row is always 1), "
        "or where one has all the weight")
REVIVE = Fix("Use `softplus` in its place.", "softplus is never exactly 0")
OTHER = "another function is trained"
TANH = Fix("Make the RNN with `nonlinearity='tanh'`.", OTHER)
NEARER = Fix("Bring its input nearer to 0: normalise the data, or divide by a constant.", OTHER)
LOGITS = Fix("Give the scores to `F.binary_cross_entropy_with_logits`, without sigmoid.", "none")
WITHIN = Fix("Compute the loss from what it takes, and limit only what is shown; or divide that "
             "by a constant, so that it is within the limits.", OTHER)


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
        fixes = revive(case, turned) if stem == "Relu" else (
            [WITHIN] * (stem in ("Clamp", "Hardtanh")))
        saturated, limited = stem in CURVES, ", as its input is not inside its limits there"
        why = limited if WITHIN in fixes else ROWS * (stem == "Softmax") or (
            ", as it is saturated" * saturated)
        return Answer("saturated" if saturated else "zero",
                      f"{opening}: the gradient was not 0 yet when it arrived at "
                      f"{case.named(turned)}, but all 0 when it left{why}."
                      f"{hook_there(case, turned)}",
                      of_squashing(case, turned) if saturated else fixes, [turned])
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
    saturated = kind in CURVES and not one.hook
    why = ROWS * (kind == "Softmax" and not one.hook) or ", as it is saturated" * saturated
    hook = f" What {one.before} made has a hook{place(one.hook)}, which ran in between."
    flat = ", whose slope is 0 everywhere between its jumps" * (kind in FLAT)
    return Answer("saturated" if saturated else "zero",
                  f"{opening}: the gradient was not 0 yet when it arrived at "
                  f"{one.node}{place(one.line)}{flat}, but all 0 when it left{why}."
                  f"{hook * bool(one.hook)}",
                  revive(case) if kind == "Relu" else [NEARER] if saturated else [], [case.tensor],
                  line=one.hook or one.line)


def _flat(case: Case, node: Any) -> tuple[str, list[Fix], str] | None:
    """(what is flat, fixes, cause) where an operation certainly multiplies every gradient by 0."""
    kind = stem_of(node.name())
    if kind in FLAT:
        return ("has the slope 0 everywhere between its jumps", [Fix(
            f"Hide it from the pass: `y + (y.{kind.lower()}() - y).detach()`.",
            "the gradient is that of y")], "zero")
    if (name := node.name().rpartition("::")[2]) in SAMPLES:
        return WORDS, [fix_of(name)], "sample"
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
        words = "made nothing but zeros, as none of its inputs is above 0"
        return words, revive(case, node), "zero"
    if kind in ("Clamp", "Hardtanh") and _outside(case, node):
        words = "is given nothing but numbers outside of its limits, where its slope is 0"
        return words, [WITHIN], "zero"
    if kind in SQUASHING and slope_of(case, node) == 0:
        fixes = of_squashing(case, node)
        return "is saturated: all its results lie where its slope is 0", fixes, "saturated"
    return None


def revive(case: Case, node: Any = None) -> list[Fix]:
    """What helps where relu made nothing but zeros; an nn.RNN knows two activations alone."""
    _, model = case.common.model_of.get(id(case.tensor), ("", None))
    recurrent = case.common.once("recurrent", model, lambda: [
        one for one in inner_modules(model).values()
        if vars(one).get("nonlinearity") == "relu"]) if model is not None else []
    call = call_of(node) if node is not None else None
    if call is None and recurrent:  # which relu it was isn't known
        return [TANH] * any(one is case.tensor for module in recurrent
                            for _, one in members(module))
    return [TANH] if call is not None and call.kind.startswith("RNN") else [REVIVE]


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
    if not pair:
        return None
    ways = [at for at, one in enumerate(case.common.inputs(node)) if one in case.reached]
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


# --- squashing operations

def slope_of(case: Case, node: Any) -> float | None:
    """The largest slope of a squashing operation at what it made, where that is known."""
    value, kind = case.made(node), stem_of(node.name())
    found = numbers(value)
    if not found or not found.size or found.norm is None or found.nans or found.infinite:
        return None
    value = value.detach().exp() if kind == "LogSoftmax" else value.detach()
    slopes = 1 - value * value if kind == "Tanh" else value * (1 - value)
    return float(slopes.abs().max())


def watched_slope(case: Case, node: Any) -> float | None:
    """The norm of what left an operation in a watched pass, against that of what arrived."""
    return next((passed.norm / arrived.norm for _, arrived, before, passed in case.steps(node)
                 if arrived.norm and passed and passed.norm is not None
                 and len(case.users[id(before)]) == 1), None)


def of_squashing(case: Case, node: Any) -> list[Fix]:
    """What helps where sigmoid or the like is saturated."""
    after = [stem_of(user.name()) for user in case.users.get(id(node), ())]
    if stem_of(node.name()) == "Sigmoid" and after == ["BinaryCrossEntropy"]:
        return [LOGITS]
    return [NEARER]
