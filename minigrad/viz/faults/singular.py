"""For `why`: operations that may have made a NaN, where the values that would tell are gone."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..graph.facts import is_tensor, numbers
from ..graph.kept import stem_of
from ..program.lines import line_words
from ..program.operations import Part, kinds_of
from ..program.ran import has_run
from ..watching.not_finite import MASKS
from .edges import EDGES, OVER, SOFTMAX, has_edge
from .evidence import Case

MOST = 3  # with more of them none is named
CERTAIN = (*OVER, "LayerNorm", "Exp")  # named where it is known that they did it, and else not


def candidates(case: Case, nodes: list[Any] | None = None) -> tuple[str, list[Any]]:
    """Return a sentence about operations that may have made a NaN, and those; or ("", []).

    Args:
        case: what is known of the tensor.
        nodes: the nodes to look at; None takes those behind the result, or, where the graph is
            gone, the text of the functions that have called backward().
    """
    nodes = case.behind if nodes is None else nodes
    found = [node for node in nodes if _may_be(case, node)]
    told = {f"from {case.named(node)}, which {EDGES[stem_of(node.name())].words}": None
            for node in found}
    if not nodes:
        told = dict.fromkeys(_in_text(case))
    if not 0 < len(told) <= MOST:
        return "", []
    return f"It can come {', or '.join(told)}.", found


def _may_be(case: Case, node: Any) -> bool:
    kind = stem_of(node.name())
    if kind in CERTAIN or not has_edge(kind, case.kept(node).get("exponent")):
        return False
    if kind in SOFTMAX:
        before = node.next_functions[0][0]
        return before is not None and stem_of(before.name()) in MASKS
    at = EDGES[kind].at
    if at < len(node.next_functions) and node.next_functions[at][0] is None:
        return False  # a constant, whose value is known or no fault of the network
    value = case.taken(node, at)
    known = numbers(value) if is_tensor(value) else None
    return known is None or known.norm is None or any(
        bool(bad(value.detach()).any()) for _, bad in EDGES[kind].limits)


def _in_text(case: Case) -> Iterator[str]:
    operations = case.operations
    masked = any("maskedfill" in kinds_of(part) for part in operations.parts)
    for part in operations.parts:
        kinds = set(kinds_of(part))
        kind = next((one for one in EDGES
                     if one.lower() in kinds and one not in CERTAIN), "")
        softmax = kind in SOFTMAX
        if kind and (masked or not softmax) and _is_open(part, kind) and has_run(
                part.program, part.expression):
            text = ast.unparse(part.expression)
            yield f"from `{text}` ({line_words(part.line)}), which {EDGES[kind].words}"


def _is_open(part: Part, kind: str) -> bool:
    """Whether the text leaves open that an operation meets such a value."""
    expression = part.expression
    if isinstance(expression, ast.BinOp):
        other = expression.right
        if isinstance(expression.op, ast.Pow):
            value = getattr(other, "value", None)
            return isinstance(value, float) and value < 1
        parts = list(ast.walk(other))
        calls = [one for one in parts if isinstance(one, (ast.Call, ast.Name, ast.Attribute))]
        added = isinstance(other, ast.BinOp) and isinstance(other.op, ast.Add)
        value = part.program.value(other) if isinstance(other, (ast.Name, ast.Attribute)) else None
        return bool(calls) and not added and not isinstance(value, (int, float))
    return kind != "Pow"

