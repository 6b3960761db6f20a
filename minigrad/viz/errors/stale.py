"""Parts of a graph that a pass can't use again: where it met them, what to compute anew, where to
separate.

A node is stale when what it saved has been freed or overwritten. A stale part comes from an earlier
round of a loop, or is shared with an earlier pass.
"""
from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dis import get_instructions
from types import FunctionType
from typing import Any, NamedTuple

from ..drawing.explanation import Fix
from ..drawing.text_twin import listed
from ..graph.facts import is_tensor, is_written_view
from ..graph.modules import inner_modules
from ..graph.walk import in_forward_order, is_accumulate
from ..program.lines import is_freed, stored_in
from ..program.names import as_code
from ..program.parsed import last_name
from ..program.statements import simple_statements
from ..program.trail import Trail
from .scene import Scene

MOST = 3  # names in one fix
CALLS = 3  # through how many calls a function is entered
PASSES = ("backward", "grad")


def anew(scene: Scene, stale: list[Any]) -> str:
    """The names of the earliest results among the stale nodes: from these on, everything is old."""
    here, after = {id(node) for node in stale}, set()
    names: dict[str, None] = {}
    for node in scene.nodes:
        if any(id(child) in here or id(child) in after for child, _ in node.next_functions):
            after.add(id(node))
        elif id(node) in here:
            names[scene.named_from[id(node)]] = None
    root = scene.of(scene.roots[0], "the result") if scene.roots else "the result"
    return listed(list(names)) if names and "" not in names and len(names) <= MOST else root


def border(scene: Scene, stale: list[Any]) -> str:
    """The tensor between a stale part and a new one, if the pass reaches a leaf without it."""
    old, gone = {id(node) for node in in_forward_order(stale)}, {id(node) for node in stale}
    names = {scene.named_from[id(child)]: None for node in scene.in_run_order()
             if id(node) not in old for child, _ in node.next_functions if id(child) in gone}
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
        found: dict[str, Carried] = {}
        variables = [(ast.unparse(part), program.held(part), part.lineno >= line)
                     for part in read_before_written(loop.body)]
        kept = [*((name, value) for name, value, module, key in states(scene)
                  if replaced(module, key)), *kept_by_functions(Trail(program), loop, CALLS)]
        for name, value, old in variables + [(name, value, False) for name, value in kept]:
            if any(value is one.value for one in found.values()):
                continue
            makers = [one.grad_fn
                      for one in (value if isinstance(value, (tuple, list)) else [value])
                      if is_tensor(one) and not is_written_view(one) and one.grad_fn is not None]
            behind = {id(node) for node in in_forward_order(makers)}
            if behind & gone and (not old or nodes & set(map(id, makers))):
                found[name] = Carried(value, old)
        if found:
            return found
    return {}


def states(scene: Scene) -> Iterator[tuple[str, Any, Any, str]]:
    """(name, value, module, attribute) of tensors that models keep, as `self.h = cell(self.h)`."""
    for name, model in scene.names.models:
        for path, module in inner_modules(model).items():
            for key, value in vars(module).items():
                if is_tensor(value) or isinstance(value, (tuple, list)):
                    yield ".".join(filter(None, (name, path, key))), value, module, key


def replaced(module: Any, attribute: str) -> bool:
    """Whether a method other than __init__ assigns an attribute."""
    return any(one.opname == "STORE_ATTR" and one.argval == attribute
               for kind in type(module).__mro__ for name, method in vars(kind).items()
               if isinstance(method, FunctionType) and name != "__init__"
               for one in get_instructions(method))


def kept_by_functions(trail: Trail, part: ast.AST, calls: int) -> Iterator[tuple[str, Any]]:
    """What functions called here keep: attributes, nonlocal and global variables."""
    for inside in trail.inside(part) if calls else ():
        body = inside.program.body
        shared = {name for one in body for node in ast.walk(one)
                  if isinstance(node, (ast.Nonlocal, ast.Global)) for name in node.names}
        yield from ((ast.unparse(one), inside.program.held(one))
                    for one in read_before_written(body)
                    if isinstance(one, ast.Attribute) or last_name(one) in shared)
        for statement in body:
            yield from kept_by_functions(inside, statement, calls - 1)


def read_before_written(body: list[ast.stmt]) -> list[ast.expr]:
    """The variables whose value a round of a loop, or a function, reads and then replaces.

    Not those whose history each round cuts, as `h = h.detach()`.
    """
    read: set[str] = set()
    written: set[str] = set()
    found: dict[str, ast.expr] = {}
    for statement in simple_statements(body):
        parts = [node for node in ast.walk(statement)
                 if isinstance(node, (ast.Name, ast.Attribute))]
        loads = {ast.unparse(node) for node in parts if isinstance(node.ctx, ast.Load)}
        stores = {ast.unparse(node): node for node in parts if isinstance(node.ctx, ast.Store)}
        read |= (loads | (set(stores) if isinstance(statement, ast.AugAssign) else set())) - written
        found |= {name: node for name, node in stores.items() if name in read
                  and name not in written}
        written |= set(stores)
        if statement in body and isinstance(statement, ast.Assign):
            given = set(map(ast.unparse, getattr(statement.value, "elts", [statement.value])))
            found = {name: node for name, node in found.items()
                     if name not in stores or f"{name}.detach()" not in given}
    return list(found.values())


def separate_rounds(variables: dict[str, Carried]) -> Fix:
    tensors = [as_code(name) for name, one in variables.items() if is_tensor(one.value)]
    codes = [f"{name} = tuple(part.detach() for part in {name})"
             for name in map(as_code, variables) if name not in tensors]
    if tensors:
        codes.insert(0,
                     f"{', '.join(tensors)} = {', '.join(f'{name}.detach()' for name in tensors)}")
    written = listed([f"`{code}`" for code in codes])
    return Fix(f"Write {written} at the end of each round of the loop, so that the next round "
               "starts from the value alone.", "no gradient flows into earlier rounds")


# --- which freed node a second pass met first, where the engine doesn't tell

def culprit(scene: Scene) -> tuple[Any, list[Any]]:
    """(the node at which the pass failed, all that an earlier pass freed); (None, candidates) if
    unsure.

    A pass runs the newest nodes first, and frees each as it goes. So after the error the nodes that
    were recorded since the earlier pass are freed, too, and the guilty one is the newest of those
    from before it. The program's text tells which those are: by the line of the earlier pass and
    those that assigned the variables, or by the variable that a loop carries from round to round.
    """
    freed = [node for node in scene.in_run_order() if is_freed(node)]
    found = (scene.failed, from_text(scene, freed), from_loop(scene, freed))
    newest = next((node for node in found if node is not None), None)
    before = from_before(freed, newest) if newest is not None else freed
    known = before and (newest is not None or len(freed) == 1)
    return (before[0], before) if known else (None, freed)


def from_before(nodes: Iterable[Any], node: Any) -> list[Any]:
    """The nodes recorded no later than a node: in a failed pass, those that didn't run."""
    return [one for one in nodes if one._sequence_nr() <= node._sequence_nr()]


def from_text(scene: Scene, freed: list[Any]) -> Any:
    """The newest node that the earlier pass freed, or of a variable assigned before it."""
    loop = scene.loop
    own, _, parameters = scene.program.scopes[0] if scene.program.scopes else ([], "", set())
    body = own if loop is None else loop.body
    calls = [node for statement in body for node in ast.walk(statement)
             if isinstance(node, ast.Call)
             and last_name(node.func) in PASSES]
    calls = [call for call in calls if (call.end_lineno, call.end_col_offset) <= scene.start]
    again = loop or next((node for node in ast.walk(scene.statement or ast.Pass())
                          if hasattr(node, "generators")), None)
    earlier = max(calls, key=place, default=again)
    inner = scene.frame is not None and scene.frame.f_code.co_name != "<module>"
    if earlier is None and not inner:
        return None
    # it was before the call of this function
    start = place(earlier) if earlier is not None else (0, 0)
    makers = {}
    for name, tensor in scene.names.tensors.items():
        places = scene.program._places(name) if name.isidentifier() else []
        outside = inner and not any(name in stored_in(one)
                                    for one in own) and scene.program.held_once(name)
        lines = [(0, 0) if outside or name in parameters else place(one.expression) if one
                 else scene.start for one in places]
        between = any(start < line <= scene.start for line in lines)
        if lines and not between and not is_written_view(tensor) and tensor.grad_fn is not None:
            makers[name] = tensor.grad_fn
    parts = ast.walk(earlier) if earlier is not again and earlier is not None else ()
    names = {node.id for node in parts if isinstance(node, ast.Name)}
    ran = {id(node) for node in in_forward_order([makers[name] for name in names & set(makers)])}
    met = [node for node in freed if id(node) in ran]
    return next(iter(met), max(makers.values(), key=lambda node: node._sequence_nr(), default=None))


def place(part: Any) -> tuple[int, int]:
    return part.lineno, part.col_offset


def from_loop(scene: Scene, freed: list[Any]) -> Any:
    """The node that made the value of a carried variable in the round before."""
    for value, old in carried(scene, freed).values():
        new = next(one for one in ([value] if is_tensor(value) else value)
                   if is_tensor(one)).grad_fn
        if old:
            return new
        alike = [node for node in in_forward_order([new]) if node is not new
                 and node.name() == new.name()]
        if alike:
            return max(alike,
                       key=lambda node: (len(kinds_of(new) & kinds_of(node)), node._sequence_nr()))
    return None


def kinds_of(node: Any) -> set[str]:
    """The names of the nodes that a node takes its inputs from."""
    return {child.name() for child, _ in node.next_functions if child is not None}
