"""What `why` answers: the cause, a sentence, its fixes, the line, and marks in the picture."""
from __future__ import annotations

import linecache
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor, shape_if_any
from ..graph.model import Graph
from ..program.cuts import Source
from ..program.lines import line_words

FINITE = ".grad is finite, but "  # in a sentence about a loss that isn't


class Answer(NamedTuple):
    """What `why` has to say."""

    cause: str
    sentence: str
    fixes: Sequence[Fix] = ()
    guilty: Sequence[Any] = ()  # nodes and tensors to mark
    show: Sequence[Any] = ()  # what to draw; nothing: the result
    more: str = ""  # what was looked at, or can't be seen
    cut: Source | None = None
    line: Any = None  # of the program


def place(line: Any) -> str:
    """The line of the program in brackets, where it is known and can be read."""
    known = line and line.line and linecache.getline(line.filename, line.line)
    return f" ({line_words(line)})" if known else ""


def mark(graph: Graph, nodes: list[Any], guilty: Sequence[Any], scene: Any) -> None:
    """Mark nodes by identity, and tensors by the node that made them or by their name."""
    named = {(scene.names.of(one), shape_if_any(one)) for one in guilty if is_tensor(one)}

    def marked(facts: Any) -> Any:
        same = facts is not None and (facts.name, facts.shape) in named
        return replace(facts, mark="guilty") if same and facts.name else facts

    for op, node in zip(graph.ops, nodes, strict=True):
        op.mark = "guilty" if any(one is node for one in guilty) else op.mark
        op.leaf = marked(op.leaf)
        op.outputs = {nr: marked(facts) for nr, facts in op.outputs.items()}
        op.inputs = [replace(entry, constant=marked(entry.constant)) for entry in op.inputs]
    graph.roots = [root if isinstance(root, tuple) else marked(root) for root in graph.roots]
