"""For `why`: operations without a finite slope or value at some inputs, and what helps there."""
from __future__ import annotations

import ast
import copy
from typing import Any, NamedTuple

from ..drawing.explanation import Fix
from ..graph.kept import stem_of
from ..program.parsed import last_name
from ..program.ran import has_run
from .evidence import Case

ABOVE = "Keep the input above 0: `{}`."
CLAMPED = "where {} is smaller, the result is that of 1e-12, and the gradient is 0"
NOT_0 = "Replace a divisor of 0: `{}`."
AS_1 = "where {} is 0, it counts as 1"
SOFTMAX = ("Softmax", "LogSoftmax")
SAFE = "up to two more recorded operations, and a mask in memory"
POSITIVE = "has no finite slope where its input is 0 or less"


class Edge(NamedTuple):
    """Where an operation has no finite slope or value."""

    words: str
    at: int = 0  # the number of the input concerned
    fix: str = ""
    price: str = ""
    code: str = ""  # {0}: the input, {1}: the exponent


EDGES = {
    "Sqrt": Edge(POSITIVE, 0, ABOVE, CLAMPED, "{0}.clamp(min=1e-12).sqrt()"),
    "Rsqrt": Edge(POSITIVE, 0, ABOVE, CLAMPED, "{0}.clamp(min=1e-12).rsqrt()"),
    "Log": Edge(POSITIVE, 0, ABOVE, CLAMPED, "torch.log({0}.clamp(min=1e-12))"),
    "Pow": Edge(POSITIVE, 0, ABOVE, CLAMPED, "{0}.clamp(min=1e-12) ** {1}"),
    "Div": Edge("has no finite value where its divisor is 0", 1, NOT_0, AS_1,
                "a / torch.where({0} == 0, 1.0, {0})"),
    "Reciprocal": Edge("has no finite value where its input is 0", 0, NOT_0, AS_1,
                       "1 / torch.where({0} == 0, 1.0, {0})"),
    "Std": Edge("has no finite slope where all numbers are equal"),
    **dict.fromkeys(SOFTMAX, Edge("is NaN in a row in which every number is -inf")),
    **dict.fromkeys(("Acos", "Asin"), Edge("has no finite slope where its input is 1 or -1")),
}


def has_edge(kind: str, exponent: Any) -> bool:
    """Whether an operation has an edge; a power only with an exponent such as 0.5 or -0.5."""
    steep = type(exponent) is float and exponent < 1 and bool(exponent % 1)
    return kind in EDGES and (kind != "Pow" or steep)


def fixes_of(kind: str, name: str = "y", exponent: Any = 0.5) -> list[Fix]:
    """What helps at the edge of an operation with the input `name`; [] where nothing is known."""
    edge = EDGES.get(kind)
    if edge is None or not edge.fix:
        return []
    return [Fix(edge.fix.format(edge.code.format(name, exponent)), edge.price.format(name))]


def edge_fixes(case: Case, node: Any) -> list[Fix]:
    """The same for a node, with the names of the program, and inside a where() if it is in one."""
    kind = stem_of(node.name())
    if not fixes_of(kind):
        return []
    if len(found := list(_in_where(case, kind))) == 1:
        return [Fix(f"Make its input safe inside where(), too: `{found[0]}`.", SAFE)]
    name = case.names.of(case.taken(node, EDGES[kind].at))
    return fixes_of(kind, name if name.isidentifier() else "y", case.kept(node).get("exponent"))


def _in_where(case: Case, kind: str) -> Any:
    """The calls of where() in the text that choose such an operation, with a safe input to it."""
    for call, _ in case.program.calls:
        name = last_name(call.func)
        chosen = name == "where" and len(call.args) == 3 and has_run(case.program, call)
        for arm in (1, 2) if chosen else ():
            new: Any = copy.deepcopy(ast.parse(ast.unparse(call), mode="eval").body)
            for part in ast.walk(new.args[arm]):
                if (owner := _operand(part, kind)) is not None:
                    holder, operand, at = owner
                    given = ast.unparse(operand)
                    safe = f"{given}, 1.0" if arm == 1 else f"1.0, {given}"
                    text = f"torch.where({ast.unparse(new.args[0])}, {safe})"
                    masked = ast.parse(text, mode="eval").body
                    if isinstance(at, str):
                        setattr(holder, at, masked)
                    else:
                        holder[at] = masked
                    yield ast.unparse(new)
                    break


def _operand(part: ast.AST, kind: str) -> tuple[Any, ast.expr, Any] | None:
    """(what holds it, its input, where) if a part of the text is such an operation."""
    if isinstance(part, ast.BinOp) and (kind, type(part.op)) in (
            ("Div", ast.Div), ("Reciprocal", ast.Div), ("Pow", ast.Pow)):
        side = "left" if kind == "Pow" else "right"
        return part, getattr(part, side), side
    if (isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute)
            and part.func.attr == kind.lower()):
        owner = part.func.value
        library = isinstance(owner, ast.Name) and owner.id in ("torch", "np", "F")
        return (part.args, part.args[0], 0) if library and part.args else (
            part.func, owner, "value")
    return None
