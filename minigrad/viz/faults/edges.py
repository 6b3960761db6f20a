"""For `why`: operations without a finite slope or value at some inputs, and what helps there."""
from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..drawing.explanation import Fix
from ..graph.kept import signed, stem_of
from ..graph.walk import shapes_of
from ..program.names import as_code
from ..program.parsed import last_name
from ..program.ran import has_run
from ..watching.not_finite import made_by
from .evidence import Case

ABOVE = "Keep the input above 0: `{}`."
CLAMPED = "where {0} is smaller, the result is that of 1e-12, and the gradient is 0"
NOT_0 = "Replace a divisor of 0: divide by `{}`."
AS_1 = "where {0} is 0, it counts as 1"
SOFTMAX = ("Softmax", "LogSoftmax")
OVER = ("Std", "Var")  # which divide by the number of their numbers, less a correction
OVERFLOWING = ("Add", "Sub", "Mul", "Sum", "Prod", "Cumsum", "Cumprod", "Dot", "Mv", "Mm",
               "Bmm", "Addmm", "Baddbmm", "Convolution", "Expm1", "Sinh", "Cosh", "ToCopy")
SAFE = "up to two more recorded operations, and a mask in memory"
BY_N = "Divide by n, and keep the root away from 0: `{}`."
OF_N = "of n numbers, the result is sqrt((n - 1) / n) times as large"
HIGH = {"float16": 8, "float64": 600}  # exp, and a sum of many, is far from infinite; else 70
Limit = tuple[str, Callable[[Any], Any]]  # what to say, and which numbers it is said of

ZERO: Limit = ("slope where its {} is 0", lambda value: value == 0)
NEGATIVE: Limit = ("value where its {} is negative", lambda value: value < 0)
AT_1: Limit = ("slope where its {} is 1 or -1", lambda value: value.abs() == 1)
BEYOND_1: Limit = ("value where its {} is beyond 1 or -1", lambda value: value.abs() > 1)
TOO_LARGE: Limit = ("value where its {} is too large",
                    lambda value: value.exp().isinf() & ~value.isinf())


class Edge(NamedTuple):
    """Where an operation has no finite slope or value."""

    words: str
    at: int = 0  # the number of the input concerned
    fix: str = ""
    price: str = ""
    code: str = ""  # {0}: the input, {1}: exponent or dimensions, {2}: a limit for exp
    limits: tuple[Limit, ...] = ()
    nan: str = ""  # where its result is NaN, if it has no finite slope elsewhere, too
    infinite: str = ""  # where its result is infinite

    def made(self, alarm: str) -> str:
        """How it makes NaN or an infinite number of finite ones."""
        return {"nan": self.nan, "infinite": self.infinite}[alarm] or self.words


def _positive(code: str) -> Edge:
    return Edge("has no finite slope where its input is 0, and is NaN where it is negative", 0,
                ABOVE, CLAMPED, code, (ZERO, NEGATIVE), "is NaN where its input is negative",
                "is infinite where its input is 0")


def _inside(name: str) -> Edge:
    return Edge("has no finite slope where its input is 1 or -1, and is NaN beyond them", 0,
                "Keep the input between -1 and 1: `{}`.",
                "where {0} is nearer to 1 or -1, the gradient is 0",
                f"torch.{name}({{0}}.clamp(-1 + 1e-6, 1 - 1e-6))", (AT_1, BEYOND_1),
                "is NaN where its input is beyond 1 or -1")


EDGES = {
    "Sqrt": _positive("{0}.clamp(min=1e-12).sqrt()"),
    "Rsqrt": _positive("{0}.clamp(min=1e-12).rsqrt()"),
    **{kind: _positive(f"torch.{kind.lower()}({{0}}.clamp(min=1e-12))")
       for kind in ("Log", "Log2", "Log10")},
    "Pow": _positive("{0}.clamp(min=1e-12) ** {1}"),
    "Div": Edge("has no finite value where its divisor is 0", 1, NOT_0, AS_1,
                "torch.where({0} == 0, 1.0, {0})", (ZERO,)),
    "Reciprocal": Edge("has no finite value where its input is 0", 0, NOT_0, AS_1,
                       "torch.where({0} == 0, 1.0, {0})", (ZERO,)),
    "Exp": Edge("has no finite value where its input is too large", 0, "Limit the input: `{}`.",
                "where {0} is larger, the result is that of the limit, and the gradient is 0",
                "torch.exp({0}.clamp(max={2}))", (TOO_LARGE,)),
    "Std": Edge("is NaN where it is taken over a single number", 0, BY_N, OF_N,
                "torch.sqrt(torch.var({0}, {1}correction=0) + 1e-12)"),
    "Var": Edge("is NaN where it is taken over a single number", 0, "Divide by n: `{}`.",
                "of n numbers, the result is (n - 1) / n times as large",
                "torch.var({0}, {1}correction=0)"),
    "LayerNorm": Edge("divides by 0 where the numbers of a row are equal and its eps is 0", 0,
                      "Give it an eps above 0, such as `eps=1e-5`.",
                      "each row is divided by a number that is a little larger"),
    "LinalgEigh": Edge("has no finite slope where two eigenvalues are equal"),
    **dict.fromkeys(SOFTMAX, Edge("is NaN in a row in which every number is -inf")),
    "Acos": _inside("acos"), "Asin": _inside("asin"),
}


def has_edge(kind: str, exponent: Any) -> bool:
    """Whether an operation has an edge; a power only with an exponent such as 0.5 or -0.5."""
    steep = type(exponent) is float and exponent < 1 and bool(exponent % 1)
    return kind in EDGES and (kind != "Pow" or steep)


def fixes_of(kind: str, name: str, more: Any = None, dtype: str = "") -> list[Fix]:
    """What helps at the edge of an operation with the input `name`; [] where nothing is known."""
    edge = EDGES.get(kind)
    if edge is None or not edge.fix:
        return []
    more = ("" if kind in OVER else 0.5) if more is None else more
    code = edge.code.format(name, more, HIGH.get(dtype, 70))
    return [Fix(edge.fix.format(code), edge.price.format(name))]


def fixes_in_where(kind: str, parts: Iterable[Any]) -> list[Fix]:
    """What helps if one where() among parts of the text chooses such an operation."""
    found = [Fix(f"Make its input safe inside where(), too: `{text}`.", SAFE)
             for text in _in_where(kind, parts)]
    return found if len(found) == 1 else []


def edge_fixes(case: Case, node: Any) -> list[Fix]:
    """The same for a node, with the names of the program, and inside a where() if it is in one."""
    kind = stem_of(node.name())
    if not has_edge(kind, case.kept(node).get("exponent")) or not EDGES[kind].fix:
        return []
    calls = (call for call, _ in case.program.calls
             if last_name(call.func) == "where" and has_run(case.program, call))
    if EDGES[kind].limits and (found := fixes_in_where(kind, calls)):
        return found
    value, kept = case.taken(node, EDGES[kind].at), case.kept(node)
    name = case.names.of(value)
    name = as_code(name) if name else case.common.unused("value")
    if kind == "Exp" and (whole := _whole_of_exp(case, node, name)):
        return [whole]
    dims = kept.get("dim")
    more = kept.get("exponent")
    if kind in OVER:
        dims = None if dims is None else tuple(map(signed, dims))
        more = "" if not dims else f"{dims if len(dims) > 1 else dims[0]}, "
        more += "keepdim=True, " * bool(kept.get("keepdim"))
    made = made_by(node)
    dtype = made.dtype if made else str(getattr(value, "dtype", "")).rpartition(".")[2]
    return fixes_of(kind, name, more, dtype)


def _whole_of_exp(case: Case, node: Any, name: str) -> Fix | None:
    """softmax or logsumexp, where exp is a part of one that is written out."""
    users = case.users.get(id(node), [])
    total = next((one for one in users if stem_of(one.name()) == "Sum"), None)
    after = case.users.get(id(total), [])
    dims = case.kept(total).get("dim") if total is not None else None
    if total is None or len(after) != 1 or dims is not None and len(dims) != 1:
        return None
    if dims is None and len((shapes_of(node) or [()])[0]) != 1:
        return None
    dim = 0 if dims is None else signed(dims[0])
    kind = stem_of(after[0].name())
    if kind == "Div" and len(users) == 2 and after[0] in users:
        return Fix(f"Use `torch.softmax({name}, {dim})`, which subtracts the largest number "
                   "first.", "none")
    if kind == "Log" and len(users) == 1:
        keep = ", keepdim=True" * bool(case.kept(total).get("keepdim"))
        return Fix(f"Use `torch.logsumexp({name}, {dim}{keep})`, which subtracts the largest "
                   "number first.", "none")
    return None


def _in_where(kind: str, parts: Iterable[Any]) -> Any:
    """The calls of where() that choose such an operation, with a safe input to it."""
    for call in parts:
        chosen = last_name(getattr(call, "func", ast.Pass())) == "where" and len(call.args) == 3
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
