"""Which freed node a second pass met first, where the engine doesn't tell.

A pass runs the newest nodes first, and frees each as it goes. So after the error the nodes that were
recorded since the earlier pass are freed, too, and the guilty one is the newest of those from before it. The
program's text tells which those are: by the line of the earlier pass and those that assigned the variables,
or by the variable that a loop carries from round to round.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from .explain_lines import is_freed
from .explain_scene import Scene
from .explain_stale import carried
from .facts import is_tensor, is_written_view
from .read import in_forward_order

PASSES = ("backward", "grad")


def culprit(scene: Scene) -> tuple[Any, list[Any]]:
    """(the node at which the pass failed, all that an earlier pass freed); (None, candidates) if unsure."""
    freed = [node for node in scene.in_run_order() if is_freed(node)]
    found = (scene.failed, from_text(scene, freed), from_loop(scene, freed))
    newest = next((node for node in found if node is not None), None)
    before = from_before(freed, newest) if newest is not None else freed
    return (before[0], before) if before and (newest is not None or len(freed) == 1) else (None, freed)


def from_before(nodes: Iterable[Any], node: Any) -> list[Any]:
    """The nodes that were recorded no later than a node: in a failed pass, the ones that didn't run."""
    return [one for one in nodes if one._sequence_nr() <= node._sequence_nr()]


def from_text(scene: Scene, freed: list[Any]) -> Any:
    """The newest node that the earlier pass freed, or of a variable that was assigned before that pass."""
    loop = scene.loop
    body = loop.body if loop is not None else scene.program.scopes[0][0] if scene.program.scopes else []
    calls = [node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Call)
             and getattr(node.func, "attr", getattr(node.func, "id", "")) in PASSES]
    calls = [call for call in calls if call.lineno < scene.line]
    earlier = max(calls, key=lambda call: call.lineno, default=loop)
    _, _, parameters = scene.program.scopes[0] if scene.program.scopes else ([], "", set())
    if earlier is None and not parameters:
        return None
    start = earlier.lineno if earlier is not None else 0  # it was before the call of this function
    makers = {}
    for name, tensor in scene.names.tensors.items():
        places = scene.program._places(name) if name.isidentifier() else []
        lines = [one.expression.lineno if one else 0 if name in parameters else scene.line for one in places]
        between = any(start < line <= scene.line for line in lines)
        if lines and not between and not is_written_view(tensor) and tensor.grad_fn is not None:
            makers[name] = tensor.grad_fn
    parts = ast.walk(earlier) if earlier is not loop and earlier is not None else ()
    names = {node.id for node in parts if isinstance(node, ast.Name)}
    ran = {id(node) for node in in_forward_order([makers[name] for name in names & set(makers)])}
    met = [node for node in freed if id(node) in ran]
    return next(iter(met), max(makers.values(), key=lambda node: node._sequence_nr(), default=None))


def from_loop(scene: Scene, freed: list[Any]) -> Any:
    """The node that made the value of a carried variable in the round before."""
    for value, old in carried(scene, freed).values():
        new = next(one for one in ([value] if is_tensor(value) else value) if is_tensor(one)).grad_fn
        if old:
            return new
        alike = [node for node in in_forward_order([new]) if node is not new and node.name() == new.name()]
        if alike:
            return max(alike, key=lambda node: (len(kinds_of(new) & kinds_of(node)), node._sequence_nr()))
    return None


def kinds_of(node: Any) -> set[str]:
    """The names of the nodes that a node takes its inputs from."""
    return {child.name() for child, _ in node.next_functions if child is not None}
