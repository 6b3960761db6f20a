"""A copy of a computed tensor, which may be hidden in an attribute of what the program copies."""
from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..drawing.explanation import Fix
from ..faults.answer import place
from ..graph.facts import is_tensor
from ..graph.modules import is_model
from ..graph.node_records import place_of
from ..program.frame_variables import variables
from ..program.lines import line_words
from ..program.names import as_code
from ..program.node_lines import line_of
from ..program.parsed import last_name
from .scene import Scene
from .table import Told, cause

DEEPEST, MOST = 12, 3  # containers and objects in each other; paths in a fix
ADDING = ("append", "add", "insert")
PLACE = "A copy could not have the same place in the graph."
NUMBERS = Fix("Copy the numbers: `x.detach().clone()`.",
              "a second tensor of its size; it has no history")
STORED = "no gradient flows through what is stored"


class Held(NamedTuple):
    """A computed tensor in what is copied."""

    path: str  # model.0.cache['k']
    attribute: str  # cache
    tensor: Any


@cause("copy of a computed tensor",
       r"Only Tensors created explicitly by the user \(graph leaves\) support the deepcopy")
def copied(scene: Scene, match: Any) -> Told:
    calls = [(frame, variables(frame)) for frame, _ in scene.frames
             if frame.f_code.co_name == "deepcopy" and frame.f_globals.get("__name__") == "copy"]
    value = calls[0][1].get("x") if calls else None
    text = next((ast.unparse(call.args[0]) for call in scene.calls_of("deepcopy") if call.args),
                next((name for name, one in scene.names.models if one is value), "the object"))
    held = [] if value is None or is_tensor(value) else list(_held(value, text, "", set()))
    if not held:
        return Told([f"{scene.here} copies a tensor that an operation made, with deepcopy.", PLACE],
                    [NUMBERS], show=scene.tensors())
    path, attribute, tensor = held[0]
    store = _storing(scene, attribute, place_of(tensor.grad_fn))
    line = line_of(store) if store is not None else place_of(tensor.grad_fn)
    others = f", and {held[1].path} another one" if len(held) == 2 else (
        f", and so do {len(held) - 1} others" * (len(held) > 1))
    made = scene.node(tensor.grad_fn).partition(" ")[0]
    return Told([f"{scene.here} copies {text}, in which {path} holds a tensor that {made} made"
                 f"{place(line)}{others}.", PLACE], [_fix(store, held)], [tensor], [tensor])


def _held(value: Any, path: str, attribute: str, seen: set[int],
          depth: int = DEEPEST) -> Iterator[Held]:
    """The computed tensors in an object. No property is run."""
    if is_tensor(value):
        if value.grad_fn is not None:
            yield Held(path, attribute, value)
    elif depth and id(value) not in seen and not isinstance(value, (str, type)):
        seen.add(id(value))
        rows = [(f"{path}[{key!r}]", attribute, one) for key, one in (
            value.items() if isinstance(value, dict) else enumerate(value)
            if isinstance(value, (list, tuple, deque)) else ())]
        own = dict(getattr(value, "__dict__", {}))
        inner = [own.pop(name, {}) for name in ("_modules", "_parameters", "_buffers")
                 ] if is_model(value) else []
        rows += [(f"{path}.{name}", name, one) for names in (*inner, own)
                 for name, one in names.items()]
        for row in rows:
            yield from _held(row[2], row[0], row[1], seen, depth - 1)


def _storing(scene: Scene, attribute: str, made: Any) -> Any:
    """The only statement of the text that stores a computed value in an attribute, or None."""
    found: list[Any] = []
    texts = {id(part): part for program in scene.programs for part in program.parts}
    for part in texts.values():
        call = part.value if isinstance(part, ast.Expr) else None
        targets = part.targets if isinstance(part, ast.Assign) else []
        if isinstance(call, ast.Call) and last_name(call.func) in ADDING:
            targets = [call.func.value]  # type: ignore[attr-defined]
        targets = [one.value if isinstance(one, ast.Subscript) else one for one in targets]
        plain = isinstance(part, ast.Assign) and isinstance(
            part.value, (ast.Constant, ast.List, ast.Dict))
        if not plain and any(getattr(one, "attr", "") == attribute for one in targets):
            found.append(part)
    there = [one for one in found if made and line_of(one)[:2] == made[:2]]
    return (there or found)[0] if len(there or found) == 1 else None


def _fix(store: Any, held: list[Held]) -> Fix:
    if store is None:
        lines = [f"`{as_code(one.path)} = {as_code(one.path)}.detach()`" for one in held[:MOST]]
        more = f", and so on for {len(held) - MOST} more" * (len(held) > MOST)
        return Fix(f"Before the copy, keep the numbers alone: {', '.join(lines)}{more}.", STORED)
    call = store.value if isinstance(store, ast.Expr) else None
    value = call.args[-1] if isinstance(call, ast.Call) else store.value
    name = ast.unparse(value)
    first = ""
    if not isinstance(value, ast.Name):
        text, name = name, held[0].attribute.strip("_")
        first = f"`{name} = {text}` and "
    left = ast.unparse(store)[:-len(ast.unparse(value)) - (call is not None)]
    line = f"{left}{name}.detach(){')' * (call is not None)}"
    return Fix(f"In {line_words(line_of(store))}, store the numbers alone: {first}`{line}`. Where "
               f"a gradient is to flow, use `{name}`, and not what is stored.", STORED)
