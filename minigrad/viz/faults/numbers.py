"""For `why`: gradients with NaN or infinite numbers, and gradients that are huge."""
from __future__ import annotations

import ast
import copy
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor, numbers, whole_number
from ..graph.kept import stem_of
from ..graph.read import is_accumulate
from ..program.ran import has_run
from .evidence import Answer, Case
from .singular import EDGES as EDGE_WORDS
from .singular import candidates

LARGE = 1e6  # a gradient with a larger norm is called huge
CLAMPED = "where {0} is smaller, the result is that of 1e-12, and the gradient is 0"
ABOVE = "Keep the input above 0: `{1}`."
EDGES = {  # operation -> (number of its input, where it has no finite slope, what to do, its price)
    "Sqrt": (0, "0 or less", ABOVE, CLAMPED, "{0}.clamp(min=1e-12).sqrt()"),
    "Rsqrt": (0, "0 or less", ABOVE, CLAMPED, "{0}.clamp(min=1e-12).rsqrt()"),
    "Log": (0, "0 or less", ABOVE, CLAMPED, "torch.log({0}.clamp(min=1e-12))"),
    "Pow": (0, "0 or less", ABOVE, CLAMPED, "{0}.clamp(min=1e-12) ** {2}"),
    "Div": (1, "0", "Replace a divisor of 0: `{1}`.", "where {0} is 0, it counts as 1",
            "a / torch.where({0} == 0, 1.0, {0})"),
    "Reciprocal": (0, "0", "Replace a divisor of 0: `{1}`.", "where {0} is 0, it counts as 1",
                   "1 / torch.where({0} == 0, 1.0, {0})"),
}
MASKED = Fix("Mask with -1e9 in place of -inf.", "a row that is masked entirely gets equal weights")
SAFE = "up to two more recorded operations, and a mask in memory"
CLEAN = Fix("Keep out what makes it: `torch.isfinite(data).all()` tells where it begins.", "none")
WATCH = Fix("Run the program again under `with watch():`.",
            "every operation and every pass takes longer")
UNKNOWN = "the values that are still known don't tell where"


def is_bad(tensor: Any) -> bool:
    found = numbers(tensor)
    return bool(found and found.nans + found.infinite)


def count(true: Any) -> int:
    """How many elements of a tensor of booleans are True."""
    return int(true.sum())


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
    # what a node is given decides its slope, so that the cause lies at the node or before it
    before = case.common.behind_node(turned)[0][::-1] if turned else case.between
    answer = next(filter(None, (_singular(case, node) for node in before)), None) or bad_value(case)
    if answer is None and turned is not None:
        edge = EDGE_WORDS.get(stem_of(turned.name()))
        why = f": it {edge}" if edge else ""
        answer = Answer("nan", f"the gradient was finite when it arrived at {case.named(turned)}, "
                        f"but not when it left{why}.{hook_there(case, turned)}",
                        _fixes(case, turned), [turned])
    if answer is None:
        told, nodes = candidates(case)
        more = told or case.looked_at()
        answer = Answer("nan", f"{UNKNOWN} the first one was made.", [WATCH],
                        nodes or [case.tensor], more=more)
    return answer._replace(sentence=f"{opening}: {answer.sentence}")


def bad_result(case: Case) -> Answer | None:
    """A loss that is NaN, whatever the gradient is."""
    if case.result is None or not is_bad(case.result[1]):
        return None
    found = next(filter(None, (_singular(case, node) for node in case.behind)),
                 None) or bad_value(case)
    opening = f"{case.name}.grad is finite, but {case.result[0]} is NaN or infinite"
    return found and found._replace(sentence=f"{opening}: {found.sentence}")


def bad_value(case: Case) -> Answer | None:
    """A NaN of the forward pass: in a leaf or a constant, or made by an operation."""
    for node in case.behind:
        value = case.made(node)
        if not is_bad(value):
            continue
        if is_accumulate(node):
            return Answer("nan",
                          f"{case.names.of(value) or 'a leaf'} itself contains NaN or infinity: it "
                          "came with the data, or a step with such a gradient wrote it.", [CLEAN],
                          [value])
        constants = [name for name, one in case.names.tensors.items()
                     if not one.requires_grad and not whole_number(one) and is_bad(one)]
        named = " and ".join(constants[:3])
        more = f"Among the constants, NaN or infinity is in {named}." if constants else ""
        told, nodes = candidates(case, case.common.behind_node(node)[0])
        if told and not constants:
            return Answer("nan", f"{case.named(node)} made a value that is NaN or infinite. "
                          f"{told}",
                          _fixes(case, nodes[0]) if len(nodes) == 1 else [CLEAN], nodes)
        return Answer("nan", "the forward pass made the first one that is known, in "
                      f"{case.named(node)}.", [CLEAN], [node], more=more)
    return None


def _singular(case: Case, node: Any) -> Answer | None:
    """Whether an operation has no finite slope at a value that it took or made."""
    kind = stem_of(node.name())
    if kind in ("Softmax", "LogSoftmax"):
        return _masked(case, node)
    exponent = case.kept(node).get("exponent")
    if kind not in EDGES or kind == "Pow" and not (type(exponent) is float and exponent < 1
                                                   and exponent % 1):
        return None
    at, edge, *_ = EDGES[kind]
    which, value = ("divisor" if "0" == edge else "input"), case.taken(node, at)
    if value is None and kind == "Sqrt":
        which, value = "result", case.made(node)
    if value is None or (found := numbers(value)) is None or found.norm is None:
        return None
    below = count(value.detach() < 0) if edge != "0" and which != "result" else found.nans
    if not found.zeros and not below:
        return None
    says = "slope where its {} is 0" if found.zeros else "value where its {} is negative"
    bad = found.zeros or below
    return Answer("nan", f"{case.named(node)} has no finite {says.format(which)}, as "
                  f"{bad} of its {found.size} numbers {'is' if bad == 1 else 'are'}.",
                  _fixes(case, node), [node])


def _masked(case: Case, node: Any) -> Answer | None:
    value, dim = case.taken(node), case.kept(node).get("dim")
    if not is_tensor(value) or type(dim) is not int or not is_bad(value):
        return None
    rows = count((value.detach() == -float("inf")).all(dim - 2**64 if dim >= 2**63 else dim))
    return Answer("nan",
                  f"{case.named(node)} is taken over {rows} row{'s' * (rows > 1)} in which every "
                  "number is -inf, so that nothing is left to divide by.", [MASKED],
                  [node]) if rows else None


def _fixes(case: Case, node: Any) -> list[Fix]:
    kind = stem_of(node.name())
    if kind not in EDGES:
        return []
    at, _, words, price, code = EDGES[kind]
    name = case.names.of(case.taken(node, at))
    name = name if name.isidentifier() else "y"
    if len(found := list(_in_where(case, kind))) == 1:
        return [Fix(f"Make its input safe inside where(), too: `{found[0]}`.", SAFE)]
    code = code.format(name, "", case.kept(node).get("exponent"))
    return [Fix(words.format(name, code), price.format(name))]


def _in_where(case: Case, kind: str) -> Any:
    """The calls of where() in the text that choose such an operation, with a safe input to it."""
    for call, _ in case.program.calls():
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        for arm in (1, 2) if name == "where" and len(call.args) == 3 and has_run(case.program,
                                                                                 call) else ():
            new = copy.deepcopy(ast.parse(ast.unparse(call), mode="eval").body)
            for part in ast.walk(new.args[arm]):
                if (owner := _operand(part, kind)) is not None:
                    given = ast.unparse(owner[1])
                    safe = f"{given}, 1.0" if arm == 1 else f"1.0, {given}"
                    text = f"torch.where({ast.unparse(new.args[0])}, {safe})"
                    setattr(*owner[::2], ast.parse(text, mode="eval").body) if isinstance(
                        owner[2], str) else owner[0].__setitem__(owner[2],
                                                                 ast.parse(text, mode="eval").body)
                    yield ast.unparse(new)
                    break


def _operand(part: ast.AST, kind: str) -> tuple[Any, ast.expr, Any] | None:
    """(what holds it, the input of the operation, where) if a part of the text is such an operation."""
    if isinstance(part, ast.BinOp) and (kind, type(part.op)) in (
            ("Div", ast.Div), ("Reciprocal", ast.Div), ("Pow", ast.Pow)):
        side = "left" if kind == "Pow" else "right"
        return part, getattr(part, side), side
    if isinstance(part, ast.Call) and getattr(part.func, "attr", "") == kind.lower():
        library = isinstance(part.func.value, ast.Name) and part.func.value.id in ("torch", "np",
                                                                                   "F")
        return (part.args, part.args[0], 0) if library and part.args else (
            part.func, part.func.value, "value")
    return None


# --- hooks, and huge gradients

def hook_there(case: Case, node: Any) -> str:
    """Says that a hook may have made the difference that was seen at a node."""
    after = [before for before, _ in node.next_functions if before is not None]
    named = [name for name in case.hooked() for one in [case.names.tensors[name]]
             if any(before is (one.grad_fn or case.common.fillers.get(id(one)))
                    for before in after)]
    return f" {named[0]} has a hook, which ran in between." if named else ""


def huge(case: Case) -> Answer | None:
    norm = numbers(case.tensor.grad).norm
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
