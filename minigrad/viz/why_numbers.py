"""For `why`: gradients whose numbers tell that something is wrong: NaN or infinite, all zero, huge."""
from __future__ import annotations

import re
from typing import Any

from .evidence import Answer, Case, place
from .explanation import Fix
from .facts import numbers
from .read import is_accumulate, shapes_of

LARGE = 1e6  # a gradient with a larger number is called huge
FLAT = ("Round", "Floor", "Ceil", "Trunc", "Sign")  # operations whose slope is 0 everywhere
FACTORS = {"Mul": 0, "Mm": 0, "Mv": 0, "Dot": 0, "Bmm": 0, "Addmm": 1}  # products, and their first factor
OFTEN_FLAT = (*FACTORS, *"""Convolution Relu Clamp Hardtanh Threshold Where Sigmoid Tanh Softmax Prelu
    LogSoftmax MaskedFill Max Min NativeDropout MaxPool2DWithIndices Pow Sin Cos Abs Exp Gelu Silu Elu
    Gather Index Slice Select Maximum Minimum""".split())
SINGULAR = {  # operations with an infinite slope where this input (0, 1) or their result (-1) is 0
    "Sqrt": (-1, "Add a small number under the root: `(y + 1e-12).sqrt()`."),
    "Log": (0, "Keep the input above 0: `torch.log(y.clamp(min=1e-12))`, or use log_softmax."),
    "Div": (1, "Keep the divisor away from 0: `a / (b + 1e-12)`."),
    "Reciprocal": (0, "Keep the divisor away from 0: `1 / (y + 1e-12)`."),
    "Pow": (0, "Add a small number to the base: `(y + 1e-12) ** 0.5`."),
}
A_LITTLE = "the result changes by about as much as the small number"
LOOK = Fix("Look at the values that it took, in this line.", "none")
WATCH = Fix("Run the program again under `with watch():`.", "every operation and every pass takes longer")


def stem(node: Any) -> str:
    return re.sub(r"Backward\d*$", "", node.name().rpartition("::")[2])


def is_number(value: Any) -> bool:
    return type(value) in (int, float)


def all_zero(value: Any) -> bool:
    found = numbers(value)
    return value == 0 if is_number(value) else bool(found and 0 < found.size == found.zeros)


# --- NaN and infinity

def not_finite(case: Case) -> Answer | None:
    found = numbers(case.tensor.grad)
    if found is None or not found.bad:
        return None
    opening = f"{case.name}.grad has {found.bad} of {found.size} numbers that are NaN or infinite"
    turned = case.turn(lambda passed: bool(passed and passed.nans))
    answers = (_singular(case, node) for node in ([turned] if turned else reversed(case.between)))
    found = _first_bad_value(case) or next(filter(None, answers), None)
    if found is None and turned is not None:
        found = Answer("nan", f"{case.called(turned)}{place(case.line(turned))} received a gradient without "
                       "NaN and passed on one with NaN.", [LOOK], [turned])
    if found is not None:
        return found._replace(sentence=f"{opening}: {found.sentence}")
    return Answer("nan", f"{opening}, and the values that are still known don't tell where the first one was "
                  "made.",
                  [WATCH], [case.tensor], more=case.looked_at())


def _first_bad_value(case: Case) -> Answer | None:
    """A NaN of the forward pass: in a leaf or a constant, or made by an operation."""
    fix = [Fix("Find where it comes from, and leave it out: `torch.isfinite(data).all()` tells.", "none")]
    for node in case.behind:
        value = case.made(node)
        if not _has_bad(value):
            continue
        if is_accumulate(node):
            return Answer("nan", f"{case.names.of(value) or 'a leaf'} itself contains NaN or infinity: it "
                          "came with the data, or a step with such a gradient wrote it.", fix, [value])
        given = [one for nr in range(len(node.next_functions)) if _has_bad(one := case.taken(node, nr))]
        why = f", from {case.names.of(given[0]) or 'a constant'}, which contains it already" if given else ""
        return _singular(case, node) or Answer("nan", "the forward pass made the first one that is known, in "
                      f"{case.called(node)}{place(case.line(node))}{why}.", fix, [node])
    return None


def _has_bad(value: Any) -> bool:
    found = numbers(value)
    return bool(found and found.bad)


def _singular(case: Case, node: Any) -> Answer | None:
    """Whether an operation has an infinite slope at a value that it took or made."""
    kind = stem(node)
    if kind not in SINGULAR or kind == "Pow" and not case.kept(node).get("exponent", 1) < 1:
        return None
    which, fix = SINGULAR[kind]
    found = numbers(case.made(node) if which < 0 else case.taken(node, which))
    if not found or not found.zeros:
        return None
    what = ("input", "divisor", "result")[which]
    count = f"{found.zeros} of its {found.size} numbers {'is' if found.zeros == 1 else 'are'} 0"
    return Answer("nan", f"{case.called(node)}{place(case.line(node))} has no finite slope where its {what} "
                  f"is 0, and {count}.", [Fix(fix, A_LITTLE)], [node])


# --- zero

def zero(case: Case) -> Answer | None:
    if not all_zero(case.tensor.grad):
        return None
    opening = f"Every number of {case.name}.grad is 0"
    for node in case.narrow:
        if flat := _flat(case, node):
            words, fix, price = flat
            return Answer("zero", f"{opening}: {case.called(node)}{place(case.line(node))} {words}.",
                          [Fix(fix, price)], [node])
    if turned := case.turn(lambda passed: bool(passed and passed.zeros == passed.size)):
        fix = Fix(*_revival(stem(turned)))
        return Answer("zero", f"{opening}: {case.called(turned)}{place(case.line(turned))} received a "
                      "gradient and passed on zeros.", [fix], [turned])
    for event in case.training.of_kind("empty"):
        if case.tensor.grad._version and case.training.writes_zeros(event):
            return Answer("zero", f"{opening}: it has been written to since it was made, and this line fills "
                          f"it with zeros{place(event.line)}.",
                          [Fix(f"Read {case.name}.grad before that line.", "none")], [case.tensor])
    suspects = [node for node in _zero_region(case) if stem(node) in OFTEN_FLAT and not _known(case, node)]
    if len(suspects) != 1 or case.training.of_kind("hook"):
        return Answer("zero", f"{opening}, and the values that are still known don't tell where it became 0.",
                      [WATCH], [case.tensor], more=case.looked_at())
    node = suspects[0]
    return Answer("zero", f"{opening}, and {case.called(node)}{place(case.line(node))} is the only operation "
                  "between it and the last gradient that is not 0 whose slope is often 0.",
                  [Fix(*_revival(stem(node)))], [node],
                  more="The pass freed its values, so they can't be looked at; watch() records what passed.")


def _flat(case: Case, node: Any) -> tuple[str, str, str] | None:
    """(what is flat, fix, price) where an operation certainly multiplies every gradient by 0."""
    kind, value, kept = stem(node), case.made(node), case.kept(node)
    if kind in FLAT:
        return ("has the slope 0 everywhere between its jumps",
                f"Leave it out of the loss, or hide it from the pass: `y + (y.{kind.lower()}() - "
                "y).detach()`.",
                "the gradient is that of y")
    if kind in ("Softmax", "LogSoftmax") and type(dim := kept.get("dim")) is int:
        shape = (shapes_of(node) or [()])[0]
        if shape and shape[dim - 2**64 if dim >= 2**63 else dim] == 1:
            return (f"is taken over one class, as its input has the shape {shape}, so its result is always "
                    f"{int(kind == 'Softmax')}", "Take it over the dimension of the classes; for one output "
                    "use `binary_cross_entropy_with_logits`.", "none")
    if kind in ("Relu", "Threshold") and value is not None and all_zero(value):
        return ("made nothing but zeros, as none of its inputs is above 0", *_revival(kind))
    if kind in ("Clamp", "Hardtanh") and (taken := case.taken(node, 0)) is not None:
        low, high = (kept.get(key, kept.get(f"{key}_val", limit)) for key, limit in
                     (("min", -float("inf")), ("max", float("inf"))))
        if is_number(low) and is_number(high):
            taken = taken.detach()
            if not bool(((taken >= low) & (taken <= high)).any()):
                return ("cuts off all of its inputs, as none lies between its limits",
                        "Let the limits include the values.", "none")
    others = _others(case, node)
    if others and all(other is not None and all_zero(other) for other in others):
        return "multiplies by zeros alone", "Look at the mask, the factor or the weight.", "none"
    return None


def _others(case: Case, node: Any) -> list[Any]:
    """What a product multiplies the gradient by, on the path; None means that it isn't known."""
    first = FACTORS.get(stem(node))
    if first is None or first and _on_path(case, node, 0):  # a bias
        return []
    return [case.taken(node, 2 * first + 1 - nr) for nr in (first, first + 1) if _on_path(case, node, nr)]


def _known(case: Case, node: Any) -> bool:
    """Whether the values that decide about a slope are known: then `_flat` has looked at them."""
    if stem(node) in FACTORS:
        return all(other is not None for other in _others(case, node))
    return case.made(node) is not None


def _revival(kind: str) -> tuple[str, str]:
    if kind in ("Relu", "Threshold"):
        return ("Use `softplus` in its place, a larger bias before it, or a smaller learning rate.",
                "softplus is never exactly 0")
    return LOOK


def _on_path(case: Case, node: Any, nr: int) -> bool:
    return nr < len(node.next_functions) and case.on_path(node.next_functions[nr][0])


def _zero_region(case: Case) -> list[Any]:
    """The nodes on every path that lie between the tensor and the last leaf whose gradient is not 0."""
    alive: set[int] = set()
    for node in case.behind:
        grad = node.variable.grad if is_accumulate(node) else None
        above = any(id(before) in alive for before, _ in node.next_functions)
        if above or grad is not None and not all_zero(grad):
            alive.add(id(node))
    found = []
    for node in reversed(case.narrow):
        bias = node.next_functions[0][0] if stem(node) == "Addmm" else None
        if bias is not None and is_accumulate(bias) and all_zero(bias.variable.grad):
            found = []  # zeros arrived here already
        else:
            found.append(node)
        if id(node) in alive:
            return found
    return []


# --- huge

def huge(case: Case) -> Answer | None:
    found = numbers(case.tensor.grad)
    if found is None or found.largest is None or found.largest <= LARGE:
        return None
    opening = f"The largest number of {case.name}.grad is {found.largest:.3g}"
    limit = Fix(f"Limit it: `torch.nn.utils.clip_grad_norm_([{case.code}], 1.0)` before step().",
                "steps of the same direction, but of a limited length")
    factor, words, node = max((row for one in case.between for row in _factors(case, one)),
                              key=lambda row: row[0], default=(0, "", None))
    if factor < 100:
        many = f"; {case.uses} operations took {case.name}" if case.uses > 3 else ""
        return Answer("huge", f"{opening}, and no single value that is still known explains "
                      f"it{many}.", [limit],
                      [case.tensor], more=case.looked_at())
    return Answer("huge", f"{opening}: {case.called(node)}{place(case.line(node))} multiplies the gradient "
                  f"by up to {factor:.3g}, {words}.",
                  [Fix("Scale the data or the factor so that it is near "
                       "1.", "the loss is scaled, too"), limit],
                  [node])


def _factors(case: Case, node: Any) -> list[tuple[float, str, Any]]:
    """(factor, where it comes from, node) of a product, as far as the values are known."""
    found = []
    for nr in (0, 1) if stem(node) in ("Mul", "Mm", "Mv", "Dot") else ():
        other = case.taken(node, 1 - nr) if _on_path(case, node, nr) else None
        if size := abs(other) if is_number(other) else getattr(numbers(other), "largest", None):
            found.append((size, f"the largest number of {case.names.of(other) or 'its other input'}", node))
    return found
