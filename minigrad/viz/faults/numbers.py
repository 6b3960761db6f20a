"""For `why`: gradients with NaN or infinite numbers, and gradients that are huge."""
from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor, whole_number
from ..graph.kept import signed, stem_of
from ..graph.read import is_accumulate, shapes_of
from ..watching.history import history_of
from ..watching.not_finite import first_made, made_by, made_of
from ..watching.pass_notes import noted_of
from .answer import Answer, place
from .edges import EDGES, OVER, SOFTMAX, edge_fixes, fixes_of, has_edge
from .evidence import Case
from .hooks import hook_there
from .singular import candidates

LARGE = 1e6  # a gradient with a larger norm is called huge
MASKED = Fix("Mask with -1e9 in place of -inf.", "a row that is masked entirely gets equal weights")
WIDER = Fix("Compute it in float32: call `.float()` on what it takes.", "twice the memory")
WATCH = Fix("Run the program again under `with watch():`.",
            "every operation and every pass takes longer")
UNKNOWN = "the values that are still known don't tell where"


def is_bad(case: Case, tensor: Any) -> bool:
    found = case.common.numbers(tensor)
    return bool(found and found.nans + found.infinite)


def count(true: Any) -> int:
    """How many elements of a tensor of booleans are True."""
    return int(true.sum())


# --- NaN and infinity

def not_finite(case: Case) -> Answer | None:
    found = case.common.numbers(case.tensor.grad)
    if found is None or not found.nans + found.infinite:
        return None
    bad = found.nans + found.infinite
    opening = f"{case.name}.grad has {bad} of {found.size} numbers that are NaN or infinite"
    if found.size == 1:
        opening = f"{case.name}.grad is {'NaN' if found.nans else 'infinite'}"
    turned = case.turn(lambda passed: bool(passed and passed.nans + passed.infinite), "sent")
    # what a node is given decides its slope, so the cause is at the node or before it
    near = case.common.behind(turned)[0] if turned else case.between
    answer = _first(case, near) or bad_value(case, near if turned else case.behind)
    if answer is None and turned is not None:
        words = _turned_words(stem_of(turned.name()), case.named(turned))
        words += hook_there(case, turned)
        answer = Answer("nan", words, edge_fixes(case, turned), [turned])
    answer = answer or _noted_nan(case)
    if answer is None:
        told, nodes = candidates(case)
        more = told or case.looked_at()
        answer = Answer("nan", f"{UNKNOWN} the first one was made.", [WATCH],
                        nodes or [case.tensor], more=more)
    return answer._replace(sentence=f"{opening}: {answer.sentence}")


def _first(case: Case, nodes: list[Any]) -> Answer | None:
    """The operation that made the first one, or one without a finite slope where it was used."""
    if (first := first_made(nodes)) is not None:
        return _singular(case, first) or _made(case, first, made_by(first))
    return next(filter(None, (_singular(case, node) for node in reversed(nodes))), None)


def _made(case: Case, node: Any, made: Any) -> Answer:
    kind = stem_of(node.name())
    return Answer("nan", _made_words(kind, case.named(node), made),
                  _made_fixes(kind, made, lambda: edge_fixes(case, node)), [node])


def _noted_nan(case: Case) -> Answer | None:
    """The operation that made the first NaN in a watched pass whose graph is gone."""
    for one in [*noted_of(case.tensor, "made"), *noted_of(case.tensor, "sent")]:
        kind, where = stem_of(one.node), f"{one.node}{place(one.line)}"
        fixes = partial(fixes_of, kind, case.unused("value"))
        if one.kind[0] == "made":
            return Answer("nan", _made_words(kind, where, one.made),
                          _made_fixes(kind, one.made, fixes), [case.tensor], line=one.line)
        if one.kind == ("sent", "nan"):
            return Answer("nan", _turned_words(kind, where), fixes(),
                          [case.tensor], line=one.line)
    return None


def _made_words(kind: str, where: str, made: Any) -> str:
    """Where the first one was made; why, where all that the operation took was finite."""
    why = ""
    if kind in SOFTMAX:
        why = ", as it does where every number of a row is -inf"
    elif made.clean and kind in EDGES:
        why = f", from finite numbers: it {EDGES[kind].words}"
    elif made.clean and made.alarm == "infinite":
        why = f", from finite numbers: the result is beyond the largest number of {made.dtype}"
    at = f" at {list(made.at)}" * bool(made.at)
    what = "NaN" if made.alarm == "nan" else "infinite number"
    return f"the forward pass made the first {what} in {where}{at}{why}."


def _made_fixes(kind: str, made: Any, fixes: Callable[[], list[Fix]]) -> list[Fix]:
    if kind in SOFTMAX:
        return [MASKED]
    narrow = made.clean and made.alarm == "infinite" and made.dtype == "float16"
    return [WIDER] if narrow else fixes() if made.clean else []


def _turned_words(kind: str, where: str) -> str:
    edge = f": it {EDGES[kind].words}" if kind in EDGES and kind not in OVER else ""
    return f"the gradient was finite when it arrived at {where}, but not when it left{edge}."


def bad_result(case: Case) -> Answer | None:
    """A loss that is NaN, whatever the gradient is."""
    if case.result is None or not is_bad(case, case.result[1]):
        return None
    found = _first(case, case.behind) or bad_value(case, case.behind)
    opening = f"{case.name}.grad is finite, but {case.result[0]} is NaN or infinite"
    return found and found._replace(sentence=f"{opening}: {found.sentence}")


def bad_value(case: Case, nodes: list[Any]) -> Answer | None:
    """A NaN of the forward pass: in a leaf or a constant, or made by an operation."""
    for node in nodes:
        value = case.made(node)
        if not is_bad(case, value) or is_accumulate(node) and _spoilt_by_step(value):
            continue
        if is_accumulate(node):
            return Answer("nan",
                          f"{case.names.of(value) or 'a leaf'} itself contains NaN or infinity: it "
                          "came with the data, or a step with such a gradient wrote it.",
                          [_finite_fix(case.names.of(value) or "it")],
                          [value])
        taken = [case.taken(node, at) for at in range(len(node.next_functions))]
        constants = [name for name, one in case.names.tensors.items()
                     if not one.requires_grad and not whole_number(one) and is_bad(case, one)]
        if taken and not constants and all(map(is_tensor, taken)) and not any(
                is_bad(case, one) for one in taken):
            return _made(case, node, made_of(value))
        named = " and ".join(constants[:3])
        more = f"Among the constants, NaN or infinity is in {named}." if constants else ""
        told, before = candidates(case, case.common.behind(node)[0])
        if told and not constants:
            return Answer("nan", f"{case.named(node)} made a value that is NaN or infinite. {told}",
                          edge_fixes(case, before[0]) if len(before) == 1 else [], before)
        return Answer("nan", "the forward pass made the first one that is known, in "
                      f"{case.named(node)}.",
                      [_finite_fix(named)] if constants else [], [node], more=more)
    return None


def _finite_fix(names: str) -> Fix:
    return Fix(f"Keep NaN and infinity out of {names}.", "none")


def _spoilt_by_step(leaf: Any) -> bool:
    """Whether a leaf contains NaN since a step took a gradient with NaN."""
    return any(event.kind == "step" and event.grad is not None
               and event.grad.nans + event.grad.infinite for event in history_of(leaf))


def _singular(case: Case, node: Any) -> Answer | None:
    """Whether an operation has no finite slope at a value that it took or made."""
    kind = stem_of(node.name())
    if kind in SOFTMAX:
        return _masked(case, node)
    if kind not in EDGES or not has_edge(kind, case.kept(node).get("exponent")):
        return None
    if kind in OVER:
        return _over_one(case, node)
    if kind == "LinalgEigh":
        return _equal_eigenvalues(case, node)
    divides = kind in ("Div", "Reciprocal")
    which, value = "divisor" if divides else "input", case.taken(node, EDGES[kind].at)
    if value is None and kind == "Sqrt":
        which, value = "result", case.made(node)
    if value is None or (found := case.common.numbers(value)) is None or found.norm is None:
        return None
    for says, at in EDGES[kind].limits:  # where a number is NaN, another operation made it so
        if bad := count(at(value.detach())):
            return Answer("nan", f"{case.named(node)} has no finite {says.format(which)}, as "
                          f"{bad} of its {found.size} numbers {'is' if bad == 1 else 'are'}.",
                          edge_fixes(case, node), [node])
    return None


def _over_one(case: Case, node: Any) -> Answer | None:
    """A spread of so few numbers that it divides by 0."""
    before, nr = node.next_functions[0]
    shapes, kept = shapes_of(before) if before is not None else [], case.kept(node)
    if nr >= len(shapes):
        return None
    dims, correction = kept.get("dim"), kept.get("correction", 1)
    over = shapes[nr] if not dims else [shapes[nr][signed(dim)] for dim in dims]
    size = math.prod(over)
    if not 0 < size <= correction:
        return None
    taken = "a single number" if size == 1 else f"{size} numbers"
    return Answer("nan", f"{case.named(node)} is taken over {taken}, and divides by "
                  f"{size} - {correction}.", edge_fixes(case, node), [node])


def _equal_eigenvalues(case: Case, node: Any) -> Answer | None:
    values = [one for nr, (_, one) in case.names.outputs(node).items() if nr == 0]
    found = case.common.numbers(values[0]) if values else None
    if found is None or found.norm is None or found.nans + found.infinite:
        return None
    first, *rest = values[0].detach().unbind(-1)
    for one in rest:
        if count(first == one):
            return Answer("nan", f"{case.named(node)} has no finite slope where two eigenvalues "
                          "are equal, as they are here.", [], [node])
        first = one
    return None


def _masked(case: Case, node: Any) -> Answer | None:
    value, dim = case.taken(node), case.dim(node)
    if not is_tensor(value) or dim is None or not is_bad(case, value):
        return None
    rows = count((value.detach() == -float("inf")).all(dim))
    return Answer("nan",
                  f"{case.named(node)} is taken over {rows} row{'s' * (rows > 1)} in which every "
                  "number is -inf, so that nothing is left to divide by.", [MASKED],
                  [node]) if rows else None


def huge(case: Case) -> Answer | None:
    found = case.common.numbers(case.tensor.grad)
    norm = found.norm if found else None
    if norm is None or norm <= LARGE:
        return None
    opening = f"The norm of {case.name}.grad is {norm:.3g}"
    limit = Fix(f"Limit it: `torch.nn.utils.clip_grad_norm_([{case.code}], 1.0)` before step().",
                "steps of the same direction, but of a limited length")
    grown = [(passed.norm / arrived.norm, at, node) for at, (node, arrived, before, passed)
             in enumerate(case.steps()) if arrived.norm and passed and passed.norm
             and len(case.users[id(before)]) == 1]  # the sum of what several sent is nobody's alone
    watched = any(True for _ in case.steps())
    factor, _, node = max(grown, default=(0, 0, None))
    if factor < 100:
        unknown = "no single operation made it so" if watched else f"{UNKNOWN} it grew"
        return Answer("huge", f"{opening}: {unknown}.", [limit] if watched else [WATCH, limit],
                      [case.tensor], more=case.looked_at())
    scale = Fix("Scale the data or the factor so that it is near 1.", "the loss is scaled, too")
    return Answer("huge",
                  f"{opening}: the gradient behind {case.named(node)} has {factor:.3g} times "
                  f"the norm of the one that arrived there.{hook_there(case, node)}",
                  [scale, limit], [node])
