"""The cause "modified by an inplace operation": a saved tensor was overwritten."""
from __future__ import annotations

import ast
import math
from typing import Any

from ..drawing.explanation import Fix
from ..drawing.text_twin import bytes_of
from ..graph.facts import is_tensor, storage_of, version_of
from ..graph.kept import saved_by, stem_of
from ..program.lines import statement_at, targets_of
from ..program.node_lines import place_of
from ..program.operations import Operations
from ..program.program_text import Program
from ..program.trail import Trail
from .inplace_fixes import inplace_layer, out_of_place, written_to
from .leaf_written import (
    WATCH,
    fixes_of_leaf,
    last_write,
    leaf_written_by,
    since,
    written_by,
)
from .lost_history import starts_of
from .scene import Scene
from .table import Told, cause


@cause(
    "modified",
    r"modified by an inplace operation: \[\S+ \[(?P<shape>[\d, ]*)\]\].* "
    r"is at version (?P<now>\d+); expected version (?P<then>\d+)",
)
def modified(scene: Scene, match: Any) -> Told:
    now, then = int(match["now"]), int(match["then"])
    rows = {id(node): [row for row in saved_by(node) if row[3] == (then, now)]
            for node in scene.nodes}
    node = scene.first(lambda one: bool(rows.get(id(one))))
    slots = " and ".join(f"`{row[0]}`" for row in rows.get(id(node), [])) or "a value"
    exact = kept_by(node, now)
    tensor = overwritten(scene, exact)
    shape = tuple(int(length) for length in match["shape"].split(",") if length.strip())
    name = scene.of(tensor, f"a tensor of shape {shape}")
    recorded = place_of(node) if node is not None else ""
    times = "once" if now - then == 1 else f"{now - then} times"
    size = bytes_of(tensor.element_size() * math.prod(shape)) if tensor is not None else "its size"
    memory = storage_of(exact) if exact is not None else None
    part = memory is not None and exact.element_size() * exact.numel() < memory[1]
    if part and memory is not None:  # what is written may be all of it
        size = f"at most {bytes_of(memory[1])}"
    if tensor is not None and tensor.is_leaf and tensor.requires_grad:
        by = leaf_written_by(scene, tensor, now - then)
        fixes, owner = fixes_of_leaf(scene, tensor, name, node), name
    else:
        by, fixes, owner = result_written_by(scene, tensor, name, now - then, size, node)
    saved, after = name, f"{name} was written to in place {times}, so it is"
    if part and (owner != name or tensor is exact or tensor.numel() > exact.numel()):
        saved = f"{name}, a part of a larger one,"
        if scene.names.of(tensor):
            saved = f"a part of {name}" if tensor.numel() > exact.numel() else name
        after = (f"memory that shares its version was written to in place {times}, perhaps in "
                 "another part, so it is")
    sentence = (f"{scene.node(node)}{f', recorded in {recorded},' if recorded else ''} saved "
                f"{saved} as {slots} at version {then} to compute its gradient. After that, "
                f"{after} at version {now} now.")
    return Told([sentence, by], fixes, [node] if node is not None else [], versions=True)


# --- which tensor

def overwritten(scene: Scene, exact: Any) -> Any:
    """The tensor that was written: a variable in the memory of what the node kept, or that."""
    same = [one for one in scene.names.tensors.values()
            if exact is not None and storage_of(one) == storage_of(exact)]
    return min(same, default=exact, key=lambda one: (
        one.data_ptr() != exact.data_ptr(), one.numel() != exact.numel()))


def kept_by(node: Any, now: int) -> Any:
    """The tensor that a node kept and that is at version `now`, by PyTorch's SavedTensors."""
    rows = [row for row in saved_by(node) if row.state == "changed"] if node is not None else []
    found = [getattr(node, f"_raw_{'saved_' * (row.slot != 'saved_tensors')}{row.slot}", ())
             for row in rows]
    kept = [one for raw in found for one in (raw if isinstance(raw, tuple) else (raw,))]
    data = [getattr(one, "data", None) for one in kept if getattr(one, "unpack_hook", None) is None]
    return next((one for one in data if is_tensor(one) and version_of(one) == now), None)


MOST = 2  # writes that are named without certainty


# --- a result of an operation

def writes_inside(scene: Scene, node: Any) -> list[ast.stmt]:
    """The writes in functions called on the way, first to what the node took or made."""
    operations = Operations((Trail(scene.program), part)
                            for part in starts_of(scene, scene.of(scene.roots[0], "")))
    found = list(operations.writes())
    parts = operations.of(stem_of(node.name()))
    near = [one for trail, one in found if any(
        takes(trail.program, part.expression, ast.unparse(target)) for target in targets_of(one)
        for part in parts)]
    writes = near or ([] if inplace_layer(scene) else [one for _, one in found])
    return writes if len(writes) <= MOST else []


def takes(program: Program, part: ast.expr, name: str) -> bool:
    """Whether a variable is in an expression, or was assigned it."""
    places = [one.expression for one in program._places(name) if one]
    return any(ast.unparse(one) == name for one in ast.walk(part)) or any(
        part is one for place in places for one in ast.walk(place))


def result_written_by(scene: Scene, tensor: Any, name: str, count: int, size: str,
                      node: Any) -> tuple[str, list[Fix], str]:
    line, memory = last_write(tensor), storage_of(tensor)
    names = {key for key, other in scene.names.tensors.items() if memory
             and storage_of(other) == memory}
    writes = since(scene, scene.writes_to({*names, name}), count)
    if line is not None:
        written = statement_at(line.filename, line.line)
        # without a target there, a layer or function that the program called wrote to it
        writes = (writes or [written]) if written and targets_of(written) else []
    elif not writes and node is not None:
        writes = writes_inside(scene, node)
    by = written_by(tensor, count, writes)
    owner = written_to(writes) or name
    view: Any = scene.names.tensors.get(owner)
    if view is not None:
        size = bytes_of(view.element_size() * view.numel())
    copy = f"a second tensor of {size}"
    if view is not None and tensor is not None and view.numel() < tensor.numel():
        copy += f"; the write no longer reaches {name}"
    if layer := inplace_layer(scene) if not writes else "":
        by = f"{layer} writes its result into its input. {WATCH}" if line is None else by
        return by, [Fix(f"Give {layer} `inplace=False`.", copy)], owner
    mended = [out_of_place(one, scene) for one in writes]
    fixes = [Fix(f"Write into a copy: `{owner} = {owner}.clone()` before the write.", copy),
             Fix("Move the write after the backward pass.",
                 "the result is computed without the write")]
    if not writes:
        fixes.insert(0, Fix(f"Write out of place, as in `{name} = {name} + ...`.", copy))
    elif all(mended):
        codes = "; ".join(mended)
        fixes.insert(0, Fix(f"Write out of place: `{codes}`.", copy))
    return by, fixes, owner
