"""Parts of a graph that a pass can't use again: what to compute anew, and where to separate from them.

A node is stale when what it saved has been freed or overwritten. A stale part comes from an earlier round of
a loop, or is shared with an earlier pass.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from .explain_scene import Scene
from .explanation import Fix
from .facts import is_tensor, is_written_view
from .read import in_forward_order, is_accumulate
from .source import Program, _statements

MOST = 3  # names in one fix


def anew(scene: Scene, stale: list[Any]) -> str:
    """The names of the earliest results among the stale nodes: from these on, everything is old."""
    here, after, names = {id(node) for node in stale}, set(), {}
    for node in scene.nodes:
        if any(id(child) in here or id(child) in after for child, _ in node.next_functions):
            after.add(id(node))
        elif id(node) in here:
            names[scene.named_from[id(node)]] = None
    root = scene.of(scene.roots[0], "the result") if scene.roots else "the result"
    return in_words(list(names)) if names and "" not in names and len(names) <= MOST else root


def border(scene: Scene, stale: list[Any]) -> str:
    """The tensor at which a stale part goes over into a new one, if the pass reaches a leaf without it."""
    old, gone = {id(node) for node in in_forward_order(stale)}, {id(node) for node in stale}
    names = {scene.named_from[id(child)]: None for node in scene.in_run_order() if id(node) not in old
             for child, _ in node.next_functions if id(child) in gone}
    tensors = {name: scene.names.tensors.get(name) for name in list(names)[:MOST]}
    return next((name for name, tensor in tensors.items()
                 if tensor is not None and reaches_a_leaf(scene, tensor.grad_fn)), "")


def reaches_a_leaf(scene: Scene, without: Any) -> bool:
    """Whether the roots lead to a leaf without going through a node."""
    stack, seen = [getattr(root, "grad_fn", root) for root in scene.roots], {id(without), id(None)}
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            if is_accumulate(node):
                return True
            stack += [child for child, _ in node.next_functions]
    return False


class Carried(NamedTuple):
    """A variable with which a loop carries a stale part from one round into the next."""

    value: Any
    old: bool  # it still holds what the earlier round computed


def carried(scene: Scene, stale: list[Any]) -> dict[str, Carried]:
    """Those variables, by their names."""
    nodes, gone = {id(node) for node in scene.nodes}, {id(node) for node in stale}
    for program, loop, line in scene.loops():
        found = {}
        variables = [(ast.unparse(part), program.held(part), part.lineno >= line)
                     for part in read_before_written(loop)]
        for name, value, old in variables + [(name, value, False) for name, value in states(program)]:
            makers = [one.grad_fn for one in (value if isinstance(value, (tuple, list)) else [value])
                      if is_tensor(one) and not is_written_view(one) and one.grad_fn is not None]
            behind = {id(node) for node in in_forward_order(makers)}
            if behind & gone and (not old or nodes & set(map(id, makers))):
                found[name] = Carried(value, old)
        if found:
            return found
    return {}


def states(program: Program) -> Iterator[tuple[str, Any]]:
    """The tensors that models keep from one call to the next, as `self.h = cell(x, self.h)` does."""
    for name, model in program.frame.f_locals.items() if program.frame else ():
        if callable(getattr(type(model), "named_modules", None)) and not isinstance(model, type):
            for path, module in model.named_modules():
                for key, value in vars(module).items():
                    if is_tensor(value) or isinstance(value, (tuple, list)):
                        yield ".".join(filter(None, (name, path, key))), value


def read_before_written(loop: ast.For | ast.While) -> list[ast.expr]:
    """The variables whose value a round of a loop reads and then replaces."""
    read, written, found = set(), set(), {}
    for statement in _statements(loop.body):
        parts = [node for node in ast.walk(statement) if isinstance(node, (ast.Name, ast.Attribute))]
        loads = {ast.unparse(node) for node in parts if isinstance(node.ctx, ast.Load)}
        stores = {ast.unparse(node): node for node in parts if isinstance(node.ctx, ast.Store)}
        read |= (loads | (set(stores) if isinstance(statement, ast.AugAssign) else set())) - written
        found |= {name: node for name, node in stores.items() if name in read and name not in written}
        written |= set(stores)
    return list(found.values())


def separate_rounds(variables: dict[str, Carried]) -> Fix:
    tensors = [name for name, variable in variables.items() if is_tensor(variable.value)]
    codes = [f"{name} = tuple(part.detach() for part in {name})" for name in variables if name not in tensors]
    if tensors:
        codes.insert(0, f"{', '.join(tensors)} = {', '.join(f'{name}.detach()' for name in tensors)}")
    written = in_words([f"`{code}`" for code in codes])
    return Fix(f"Write {written} at the end of each round of the loop, so that the next round starts from "
               "the value alone.", "no gradient flows into earlier rounds")


def in_words(words: list[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
