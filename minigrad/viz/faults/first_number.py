"""For `why`: the operation that made the first NaN or infinite number, what met there, what helps.
"""
from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ..drawing.explanation import Fix
from ..graph.norms import array_of
from ..program.lines import statement_at
from ..program.node_lines import Line, line_of
from ..program.parsed import last_name, parts_of
from ..watching.not_finite import Made
from ..watching.operands import SIGNS, Met
from .answer import Answer, place
from .edges import EDGES, OVER, OVERFLOWING, SOFTMAX, fixes_in_where, fixes_of
from .evidence import Case
from .singular import MASKED

WIDER = Fix("Compute it in float32: call `.float()` on what it takes.", "twice the memory")
OPERATORS = {"*": ast.Mult, "/": ast.Div, "-": ast.Sub, "+": ast.Add, "@": ast.MatMult,
             "**": ast.Pow}
NOUNS = {"*": "a product", "/": "a division", "-": "a difference", "+": "a sum",
         "@": "a matrix product", "**": "a power"}
MODULES = ("torch", "F", "np")
LONGEST = 40  # characters of an operand that is quoted


def finite_fix(what: str) -> Fix:
    return Fix(f"Keep NaN and infinity out of {what}.", "none")


def first_number(case: Case, kind: str, where: str, made: Made, line: Line | None, masked: bool,
                 fixes: Callable[[], list[Fix]], guilty: list[Any]) -> Answer:
    """What is said of it. `masked`: an operation before it has written infinity on purpose."""
    what = "NaN" if made.alarm == "nan" else "infinite number"
    at = f" at {list(made.at)}" * bool(made.at)
    if made.met:
        words = f"the forward pass made the first NaN in {where}{at}{_met_words(made.met, line)}."
        found = _met_fixes(case, made.met, line, masked)
    elif made.data:
        words, found, line = _of_data(case, made, where, line)
    elif kind in SOFTMAX:
        words = (f"the forward pass made the first {what} in {where}{at}, as it does where every "
                 "number of a row is -inf.")
        found = [MASKED]
    elif not made.clean:  # it may have taken one, as from the data
        words = f"the first {what} of the forward pass that is known came out of {where}{at}."
        found = []
    else:
        over = made.alarm == "infinite"
        why = f": it {EDGES[kind].made(made.alarm)}" if kind in EDGES else (
            f": the result is beyond the largest number of {made.dtype}"
            if over and kind in OVERFLOWING else "")
        words = f"the forward pass made the first {what} in {where}{at}, from finite numbers{why}."
        found = [WIDER] if over and made.dtype == "float16" else fixes()
    return Answer("nan", words, found, guilty, line=line)


def _of_data(case: Case, made: Made, where: str, line: Line | None) -> tuple[
        str, list[Fix], Line | None]:
    """The same of a number that was there before the graph began."""
    end = f"The first result with it that is known came out of {where}."
    if (origin := made.origin) is None:
        assigned = case.program.assigned(made.name) if made.name else None
        said = place(line_of(assigned.expression)) if assigned else ""
        said = f" {made.name} is assigned{said}." * bool(said)
        said = f"; what made it so was not seen.{said}"
        if where_written := place(made.written):
            said = f"; it was last written{where_written}."
        seen = array_of(case.tensor) is None  # of minigrad, what has no gradient is never seen
        again = Fix(f"Run the line that makes {made.name or 'it'} under `with watch():`, too: then "
                    "the operation that made it so is named.", "that line takes longer")
        return (f"{made.data}{said} {end}",
                [finite_fix(made.name or "the data"), *[again] * (seen and not where_written)],
                line)
    word, first = origin.function.strip("_"), origin.made
    sign = SIGNS.get(word, "")
    kind = "Div" if sign == "/" else word.capitalize()
    what = "NaN" if first.alarm == "nan" else "infinite number"
    at = f" at {list(first.at)}" * bool(first.at)
    slope = EDGES[kind].made(first.alarm) if kind in EDGES else ""
    why = _met_words(first.met, origin.line) if first.met else (
        f", from finite numbers{f': it {slope}' * bool(slope)}" * first.clean)
    found = _met_fixes(case, first.met, origin.line, False) if first.met else []
    name = (_operands(origin.line, sign) or _owner(origin.line, word))[-1]
    if not found and first.clean and kind not in OVER:
        found = fixes_of(kind, name or case.common.unused("value"))
    return (f"{made.data}. Before that, {NOUNS.get(sign, f'{word}()')}{place(origin.line)}, which "
            f"needed no gradient, had made the first {what} in it{at}{why}. {end}",
            found or [finite_fix(made.name or "the data")], origin.line or line)


def _met_words(met: Met, line: Line | None) -> str:
    """`, as 0 * -inf is NaN: pos was 0 there, and log_prob -inf`."""
    names = _operands(line, met.sign) if met.tensors else ()
    left = f"({met.left:g})" if met.sign == "**" else f"{met.left:g}"
    said = f", as {left} {met.sign.replace('@', '*')} {met.right:g} is NaN"
    if not names:
        return said
    if met.sign == "@":
        return f"{said}: {names[0]} has a {met.left:g} where {names[1]} has {met.right:g}"
    return f"{said}: {names[0]} was {met.left:g} there, and {names[1]} {met.right:g}"


def _met_fixes(case: Case, met: Met, line: Line | None, masked: bool) -> list[Fix]:
    left, right = map(_closed, _operands(line, met.sign) or map(case.common.unused, (
        "value", "factor")))
    if met.sign == "*" and met.tensors:
        zero, other = (left, right) if met.left == 0 else (right, left)
        return [Fix(f"Mask the infinite factor before the product: `torch.where({zero} == 0, 0.0, "
                    f"{other})`.", "a mask in memory; no gradient flows into the factor where the "
                    "mask is")]
    if met.sign == "**":
        return fixes_in_where("Pow", _parts(line)) or fixes_of("Pow", left, right)
    if met.sign == "/" and met.right == 0 and met.tensors:
        return fixes_of("Div", right)
    return [MASKED] * (masked and met.sign == "-" and met.left < 0)


def _parts(line: Line | None) -> list[ast.AST]:
    statement = statement_at(line.filename, line.line) if line is not None else None
    return [] if statement is None else list(parts_of(statement))


def _operands(line: Line | None, sign: str) -> tuple[str, ...]:
    """The texts of both operands of the only such operation in a line; or ()."""
    found: list[list[ast.expr]] = []
    for part in _parts(line if sign else None):
        if isinstance(part, ast.BinOp) and isinstance(part.op, OPERATORS[sign]):
            found.append([part.left, part.right])
        elif isinstance(part, ast.AugAssign) and isinstance(part.op, OPERATORS[sign]):
            found.append([part.target, part.value])
        elif isinstance(part, ast.Call) and SIGNS.get(last_name(part.func).strip("_")) == sign:
            found.append(_given(part))
    texts = tuple(map(ast.unparse, found[0])) if len(found) == 1 else ()
    return texts if len(texts) == 2 and max(map(len, texts)) <= LONGEST else ()


def _owner(line: Line | None, word: str) -> tuple[str, ...]:
    """What the only call of a function or a method in a line is given first; or ("",)."""
    calls = [part for part in _parts(line)
             if isinstance(part, ast.Call) and last_name(part.func).strip("_") == word]
    if len(calls) != 1:
        return ("",)
    return tuple(_closed(ast.unparse(one)) for one in _given(calls[0])[:1]) or ("",)


def _closed(text: str) -> str:
    """An expression as it is written beside an operator or before a dot."""
    closed = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)
    return text if isinstance(ast.parse(text, mode="eval").body, closed) else f"({text})"


def _given(call: ast.Call) -> list[ast.expr]:
    """The owner of a method, if it is one, and the arguments."""
    owner: Any = getattr(call.func, "value", None)
    return [*([] if owner is None or last_name(owner) in MODULES else [owner]), *call.args]
