"""For `why`: gradients with NaN or infinite numbers, and gradients that are huge."""
from __future__ import annotations

from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor, whole_number
from ..graph.kept import stem_of
from ..graph.read import is_accumulate
from ..watching.history import history_of
from ..watching.pass_notes import noted_of
from ..watching.records import record_of
from .answer import Answer, place
from .edges import EDGES, SOFTMAX, edge_fixes, fixes_of, has_edge
from .evidence import Case
from .hooks import hook_there
from .singular import candidates

LARGE = 1e6  # a gradient with a larger norm is called huge
MASKED = Fix("Mask with -1e9 in place of -inf.", "a row that is masked entirely gets equal weights")
CLEAN = Fix("Keep out what makes it: `torch.isfinite(data).all()` tells where it begins.", "none")
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
    turned = case.turn(lambda passed: bool(passed and passed.nans + passed.infinite))
    # what a node is given decides its slope, so the cause is at the node or before it
    near = case.common.behind(turned)[0][::-1] if turned else case.between
    edges = (_singular(case, node) for node in near)
    answer = next(filter(None, edges), None) or bad_value(case)
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


def _noted_nan(case: Case) -> Answer | None:
    """The operation that made the first NaN in a watched pass whose graph is gone."""
    for one in [*noted_of(case.tensor, "made"), *noted_of(case.tensor, "sent")]:
        kind, where = stem_of(one.node), f"{one.node}{place(one.line)}"
        if one.kind == ("made", "nan"):
            return Answer("nan", _made_words(kind, where), [MASKED if kind in SOFTMAX else CLEAN],
                          [case.tensor], line=one.line)
        if one.kind == ("sent", "nan"):
            return Answer("nan", _turned_words(kind, where), fixes_of(kind),
                          [case.tensor], line=one.line)
    return None


def _made_words(kind: str, where: str) -> str:
    rows = ", as it does where every number of a row is -inf" * (kind in SOFTMAX)
    zero = " It divides by a number that can be 0." if kind == "Div" else ""
    return f"the forward pass made the first NaN in {where}{rows}.{zero}"


def _turned_words(kind: str, where: str) -> str:
    edge = f": it {EDGES[kind].words}" if kind in EDGES else ""
    return f"the gradient was finite when it arrived at {where}, but not when it left{edge}."


def bad_result(case: Case) -> Answer | None:
    """A loss that is NaN, whatever the gradient is."""
    if case.result is None or not is_bad(case, case.result[1]):
        return None
    found = next(filter(None, (_singular(case, node) for node in case.behind)),
                 None) or bad_value(case)
    opening = f"{case.name}.grad is finite, but {case.result[0]} is NaN or infinite"
    return found and found._replace(sentence=f"{opening}: {found.sentence}")


def bad_value(case: Case) -> Answer | None:
    """A NaN of the forward pass: in a leaf or a constant, or made by an operation."""
    for node in case.behind:
        if record_of(node).get("made_nan"):
            kind = stem_of(node.name())
            return Answer("nan", _made_words(kind, case.named(node)),
                          [MASKED if kind in SOFTMAX else CLEAN], [node])
        value = case.made(node)
        if not is_bad(case, value) or is_accumulate(node) and _spoilt_by_step(value):
            continue
        if is_accumulate(node):
            return Answer("nan",
                          f"{case.names.of(value) or 'a leaf'} itself contains NaN or infinity: it "
                          "came with the data, or a step with such a gradient wrote it.", [CLEAN],
                          [value])
        constants = [name for name, one in case.names.tensors.items()
                     if not one.requires_grad and not whole_number(one) and is_bad(case, one)]
        named = " and ".join(constants[:3])
        more = f"Among the constants, NaN or infinity is in {named}." if constants else ""
        told, nodes = candidates(case, case.common.behind(node)[0])
        if told and not constants:
            return Answer("nan", f"{case.named(node)} made a value that is NaN or infinite. {told}",
                          edge_fixes(case, nodes[0]) if len(nodes) == 1 else [CLEAN], nodes)
        return Answer("nan", "the forward pass made the first one that is known, in "
                      f"{case.named(node)}.", [CLEAN], [node], more=more)
    return None


def _spoilt_by_step(leaf: Any) -> bool:
    """Whether a leaf contains NaN since a step took a gradient with NaN."""
    return any(event.kind == "step" and event.grad is not None
               and event.grad.nans + event.grad.infinite for event in history_of(leaf))


def _singular(case: Case, node: Any) -> Answer | None:
    """Whether an operation has no finite slope at a value that it took or made."""
    kind = stem_of(node.name())
    if kind in SOFTMAX:
        return _masked(case, node)
    if not has_edge(kind, case.kept(node).get("exponent")) or not EDGES[kind].fix:
        return None
    divides = kind in ("Div", "Reciprocal")
    which, value = "divisor" if divides else "input", case.taken(node, EDGES[kind].at)
    if value is None and kind == "Sqrt":
        which, value = "result", case.made(node)
    if value is None or (found := case.common.numbers(value)) is None or found.norm is None:
        return None
    # A negative divisor is none, and where a number is NaN, another operation made it so.
    below = 0 if divides or which == "result" else count(value.detach() < 0)
    if not found.zeros and not below:
        return None
    says = "slope where its {} is 0" if found.zeros else "value where its {} is negative"
    bad = found.zeros or below
    return Answer("nan", f"{case.named(node)} has no finite {says.format(which)}, as "
                  f"{bad} of its {found.size} numbers {'is' if bad == 1 else 'are'}.",
                  edge_fixes(case, node), [node])


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
