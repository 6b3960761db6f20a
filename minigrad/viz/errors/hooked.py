"""Causes in hooks of the program: what one returns replaces a gradient, and was refused."""
from __future__ import annotations

import ast
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor
from ..graph.node_records import passed, record_of
from ..graph.walk import is_accumulate
from ..program.custom_functions import returns_in, text_of
from ..program.frame_variables import variables
from ..program.lines import line_words
from ..program.node_lines import line_of, only_line
from ..program.parsed import parts_of, tree_of
from ..watching.write_records import Hook, described, hooked_at, hooks_noted
from .scene import Scene
from .table import Told, cause

REPLACES = ("What a hook returns replaces the gradient, so it must have the same type, shape and "
            "dtype.")
NOTHING = Fix("Return nothing, and the gradient stays as it is.", "none")
NODE_OF, CALLS = "checked_gradient", "register_hook"
MOST = 3  # lines in one sentence


@cause("hook: size", r"hook '(.*?)' has changed the size of value")
def another_size(scene: Scene, match: Any) -> Told:
    fix = Fix("Return a gradient of the shape that the hook received.", "none")
    return told(scene, match[1], "a gradient of another shape", fix)


@cause("hook: dtype", r"hook '(.*?)' has changed the type of value \(was (\S+) got (\S+)\)")
def another_dtype(scene: Scene, match: Any) -> Told:
    fix = Fix("Return the type that the hook received: `.to(grad.dtype)`.", "a second tensor")
    return told(scene, match[1], f"a gradient of type {match[3]} for one of type {match[2]}", fix)


@cause("hook: type", r"expected Variable, but hook returned '(.*?)'")
def no_tensor(scene: Scene, match: Any) -> Told:
    fix = Fix("Return a tensor, or nothing.", "none")
    what = f"a value of type {match[1]}; a hook returns a tensor or None"
    return told(scene, "", what, fix)


def told(scene: Scene, said: str, what: str, fix: Fix) -> Told:
    node, hook, sure = failed_hook(scene, said)
    name = "" if said == "<unknown>" else said
    found = described_in(hook) if hook is not None and sure else f"the hook {name}" * bool(name)
    first = f"{scene.here} called {found or 'a hook'}, which returned {what}."
    if hook is not None and not sure:
        first += f" The only one that is known here is {described_in(hook)}."
    elif hook is None and (line := only_line(registering(scene))) is not None:
        first += f" The only line of this file that registers one is {line_words(line)}."
    text = text_of(hook.code) if hook is not None else None
    if isinstance(text, ast.Lambda) and hook and line_of(text)[:2] != (hook.line or ())[:2]:
        where = f" It is written in {line_words(line_of(text))}."
    else:
        lines = [line_words(line) for line in returns_in(text)]
        where = f" It returns in {' and '.join(lines)}." * (0 < len(lines) <= MOST)
    return Told([first, REPLACES + where], [fix, NOTHING], [node] if node is not None else [])


def described_in(hook: Hook) -> str:
    line = f" (registered in {line_words(hook.line)})" if hook.line and hook.line.line else ""
    return f"the hook {hook.name}{line}"


def registering(scene: Scene) -> list[ast.Call]:
    """The calls in the program's file that register a hook."""
    tree = tree_of(scene.frame) if scene.frame is not None else None
    return [part for part in parts_of(tree) if isinstance(part, ast.Call)
            and getattr(part.func, "attr", "") == CALLS] if tree is not None else []


def failed_hook(scene: Scene, said: str) -> tuple[Any, Hook | None, bool]:
    """(the node, the hook, whether that is certain) of the hook whose result was refused."""
    rows = [(node, hook) for node in scene.in_run_order() for hook in hooks_at(scene, node)
            if said in ("", hook.said)]
    for frame, _ in reversed(scene.frames):
        if frame.f_code.co_name == NODE_OF:
            own = described(variables(frame)["hook"])
            same = [hook for node, hook in rows if node is scene.failed and hook[:3] == own[:3]]
            return scene.failed, next(iter(same), own), True
    users: dict[int, list[Any]] = {}
    for one in scene.nodes:
        for child, _ in one.next_functions:
            users.setdefault(id(child), []).append(one)
    reached = [(node, hook) for node, hook in rows if _was_next(node, users.get(id(node), []))]
    known = reached or [row for row in rows if passed(row[0]) is None]
    node = next((one for one, _ in known), None)
    hooks = [hook for one, hook in known if one is node or not reached]
    one = hooks[0] if len(hooks) == 1 else None  # of several it isn't known which it was
    return (node if reached or one else None), one, bool(reached)


def _was_next(node: Any, users: list[Any]) -> bool:
    """Whether a watched pass ended between all that goes to a node and the node itself."""
    record = record_of(node)
    begun = not is_accumulate(node) or record.get("unhooked") is not None
    return passed(node) == [] and begun and all(record_of(one).get("ran") for one in users)


def hooks_at(scene: Scene, node: Any) -> list[Hook]:
    """The hooks of what a node made, or of its leaf: as a watch noted them, or as it holds them."""
    if noted := hooks_noted(node):
        return list(noted)
    leaf = node.variable if is_accumulate(node) else None
    found = [one for _, one in scene.names.outputs(node).values()] if leaf is None else [leaf]
    hooks = [hook for one in found if is_tensor(one)
             for hook in (getattr(one, "_backward_hooks", None) or {}).values()]
    line = hooked_at(leaf) if leaf is not None and len(hooks) == 1 else None
    return [described(hook, line) for hook in hooks]
