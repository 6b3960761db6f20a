"""For `why`: gradients whose numbers tell that something is wrong: NaN or infinite, all zero, huge."""
from __future__ import annotations

import re
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import numbers
from ..graph.read import is_accumulate, shapes_of
from .evidence import Answer, Case

LARGE = 1e6  # a gradient with a larger norm is called huge
FLAT = ("Round", "Floor", "Ceil", "Trunc", "Sign")  # operations whose slope is 0 everywhere
CLAMPED = "where y is smaller, the result is that of 1e-12, and the gradient is 0"
SINGULAR = {  # operations with an infinite slope where their result or their input is 0
    "Sqrt": ("result", Fix("Keep the input above 0: `y.clamp(min=1e-12).sqrt()`.", CLAMPED)),
    "Log": ("input", Fix("Keep the input above 0: `torch.log(y.clamp(min=1e-12))`.", CLAMPED)),
}
REVIVE = Fix("Use `softplus` in its place.", "softplus is never exactly 0")
CLEAN = Fix("Keep out what makes it: `torch.isfinite(data).all()` tells where it begins.", "none")
WATCH = Fix("Run the program again under `with watch():`.", "every operation and every pass takes longer")
UNKNOWN = "the values that are still known don't tell where"


def stem(node: Any) -> str:
    return re.sub(r"Backward\d*$", "", node.name().rpartition("::")[2])


def all_zero(tensor: Any) -> bool:
    found = numbers(tensor)
    return bool(found and found.norm == 0 and found.size)


def is_bad(tensor: Any) -> bool:
    found = numbers(tensor)
    return bool(found and found.nans + found.infinite)


# --- NaN and infinity

def not_finite(case: Case) -> Answer | None:
    found = numbers(case.tensor.grad)
    if not found.nans + found.infinite:
        return None
    bad = found.nans + found.infinite
    opening = f"{case.name}.grad has {bad} of {found.size} numbers that are NaN or infinite"
    if found.size == 1:
        opening = f"{case.name}.grad is {'NaN' if found.nans else 'infinite'}"
    turned = case.turn(lambda passed: bool(passed and passed.nans + passed.infinite))
    nodes = [turned] if turned else case.between[::-1]
    answer = _first_bad_value(case) or next(filter(None, (_singular(case, node) for node in nodes)), None)
    if answer is None and turned is not None:
        fixes = [SINGULAR[stem(turned)][-1]] if stem(turned) in SINGULAR else []
        answer = Answer("nan", f"the gradient was finite when it arrived at {case.named(turned)}, "
                        "but not when it left.", fixes, [turned])
    if answer is None:
        answer = Answer("nan", f"{UNKNOWN} the first one was made.", [WATCH], [case.tensor],
                        more=case.looked_at())
    return answer._replace(sentence=f"{opening}: {answer.sentence}")


def _first_bad_value(case: Case) -> Answer | None:
    """A NaN of the forward pass: in a leaf or a constant, or made by an operation."""
    for node in case.behind:
        value = case.made(node)
        if not is_bad(value):
            continue
        if is_accumulate(node):
            return Answer("nan", f"{case.names.of(value) or 'a leaf'} itself contains NaN or infinity: it "
                          "came with the data, or a step with such a gradient wrote it.", [CLEAN], [value])
        return _singular(case, node) or Answer("nan", "the forward pass made the first one that is known, in "
                                               f"{case.named(node)}.", [CLEAN], [node])
    return None


def _singular(case: Case, node: Any) -> Answer | None:
    """Whether an operation has an infinite slope at a value that it took or made."""
    if stem(node) not in SINGULAR:
        return None
    which, fix = SINGULAR[stem(node)]
    found = numbers(case.made(node if which == "result" else node.next_functions[0][0]))
    if not found or not found.zeros:
        return None
    return Answer("nan", f"{case.named(node)} has no finite slope where its {which} is 0, as "
                  f"{found.zeros} of its {found.size} numbers {'is' if found.zeros == 1 else 'are'}.", [fix],
                  [node])


# --- zero

def zero(case: Case) -> Answer | None:
    if not all_zero(case.tensor.grad):
        return None
    opening = f"Every number of {case.name}.grad is 0"
    for node in case.narrow:
        if flat := _flat(case, node):
            return Answer("zero", f"{opening}: {case.named(node)} {flat[0]}.", [flat[1]], [node])
    if turned := case.turn(lambda passed: bool(passed and passed.norm == 0)):
        return Answer("zero", f"{opening}: the gradient was not 0 yet when it arrived at "
                      f"{case.named(turned)}, but all 0 when it left.",
                      [REVIVE] * (stem(turned) == "Relu"), [turned])
    return Answer("zero", f"{opening}: {UNKNOWN} it became 0.", [WATCH], [case.tensor],
                  more=case.writes() or case.looked_at())


def _flat(case: Case, node: Any) -> tuple[str, Fix] | None:
    """(what is flat, fix) where an operation certainly multiplies every gradient by 0."""
    kind = stem(node)
    if kind in FLAT:
        return ("has the slope 0 everywhere between its jumps", Fix(
            f"Hide it from the pass: `y + (y.{kind.lower()}() - y).detach()`.",
            "the gradient is that of y"))
    if kind in ("Softmax", "LogSoftmax") and type(dim := case.kept(node).get("dim")) is int:
        shape = (shapes_of(node) or [()])[0]
        if shape and shape[dim - 2**64 if dim >= 2**63 else dim] == 1:
            return (f"is taken over one class, as its input has the shape {shape}, so its result is always "
                    f"{int(kind == 'Softmax')}", Fix(
                        "Take it over the dimension of the classes; with one output, use "
                        "`binary_cross_entropy_with_logits`.", "another function is trained"))
    if kind == "Relu" and all_zero(case.made(node)):
        return "made nothing but zeros, as none of its inputs is above 0", REVIVE
    return None


# --- huge

def huge(case: Case) -> Answer | None:
    norm = numbers(case.tensor.grad).norm
    if norm is None or norm <= LARGE:
        return None
    opening = f"The norm of {case.name}.grad is {norm:.3g}"
    limit = Fix(f"Limit it: `torch.nn.utils.clip_grad_norm_([{case.code}], 1.0)` before step().",
                "steps of the same direction, but of a limited length")
    grown = [(passed.norm / arrived.norm, at, node) for at, (node, arrived, _, passed)
             in enumerate(case.steps()) if arrived.norm and passed and passed.norm]
    factor, _, node = max(grown, default=(0, 0, None))
    if factor < 100:
        unknown = "no single operation made it so" if grown else f"{UNKNOWN} it grew"
        return Answer("huge", f"{opening}: {unknown}.", [limit] if grown else [WATCH, limit], [case.tensor],
                      more=case.looked_at())
    scale = Fix("Scale the data or the factor so that it is near 1.", "the loss is scaled, too")
    return Answer("huge", f"{opening}: the gradient behind {case.named(node)} has {factor:.3g} times "
                  "the norm of the one that arrived there.", [scale, limit], [node])
