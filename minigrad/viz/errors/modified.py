"""The cause "modified by an inplace operation": a saved tensor was overwritten."""
from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from typing import Any

from ..drawing.explanation import Fix
from ..drawing.text import bytes_of
from ..graph.facts import is_tensor, storage_of, version_of
from ..graph.kept import saved_by, stem_of
from ..graph.walk import leaves_of
from ..program.given import held_by
from ..program.lines import (
    Line,
    is_changed,
    is_freed,
    line_words,
    statement_at,
    stored_in,
    targets_of,
)
from ..program.operations import Operations
from ..program.places import line_of, place_of
from ..program.ran import in_loop
from ..program.source import Program
from ..program.trail import Trail
from ..watching.records import writes_of
from .history import starts_of
from .inplace import inplace_layer, out_of_place, written_to
from .scene import Scene
from .stale import anew, border, carried, from_before, separate_rounds
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
    tensor = overwritten(scene, node, now)
    shape = tuple(int(length) for length in match["shape"].split(",") if length.strip())
    name = scene.of(tensor, f"a tensor of shape {shape}")
    recorded = place_of(node) if node is not None else ""
    times = "once" if now - then == 1 else f"{now - then} times"
    sentence = (f"{scene.node(node)}{f', recorded in {recorded},' if recorded else ''} saved "
                f"{name} as {slots} at version {then} to compute its gradient. After that, {name} "
                f"was written to in place {times}, so it is at version {now} now.")
    size = bytes_of(tensor.element_size() * math.prod(shape)) if tensor is not None else "its size"
    if tensor is not None and tensor.is_leaf and tensor.requires_grad:
        by = leaf_written_by(scene, tensor, now - then)
        fixes = fixes_of_leaf(scene, tensor, name, node)
    else:
        by, fixes = result_written_by(scene, tensor, name, now - then, size, node)
    return Told([sentence, by], fixes, [node] if node is not None else [], versions=True)


# --- which tensor

def overwritten(scene: Scene, node: Any, now: int) -> Any:
    """The tensor that was written: a variable in the memory of what the node kept, or that."""
    exact = kept_by(node, now)
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
WATCH = "`with watch():` would tell which line wrote to it."


def last_write(tensor: Any) -> Line | None:
    """The line of the last write in place, where the engine or a watch remembers it."""
    return next((line for _, line in reversed(writes_of(tensor) or ())), None)


def written_by(tensor: Any, count: int, found: Iterable[ast.AST], who: str = "The program") -> str:
    """The line that wrote, or else the statements and calls that the program's text shows."""
    if (line := last_write(tensor)) is not None:
        return f"The {'last write' if count > 1 else 'write'} was in {line_words(line)}."
    lines = " and ".join(dict.fromkeys(line_words(line_of(one)) for one in found))
    return f"{who} writes to it in {lines}; {WATCH}" if lines else WATCH


# --- a leaf, which an optimizer or the program itself changed

def leaf_written_by(scene: Scene, leaf: Any, count: int) -> str:
    if writes := since(scene, scene.writes_to({scene.names.of(leaf)}), count):
        return written_by(leaf, count, writes)
    steps = [call for call, optimizer in scene.steps() if holds(optimizer, leaf)]
    in_loops = scene.writes_in_loops(leaf)
    earlier = [step for step in steps if step.lineno < scene.line]
    who = "The optimizer that holds it"
    if in_loops:
        who = "A loop over the parameters" + ", or the optimizer that holds them," * bool(steps)
    return written_by(leaf, count, [*in_loops, *(earlier or steps)], who)


def holds(optimizer: Any, leaf: Any) -> bool:
    return any(one is leaf for one in held_by(optimizer))


def since(scene: Scene, writes: list[ast.stmt], count: int) -> list[ast.stmt]:
    """Of several writes those that can be the last `count`: the others came before the value was
    saved.

    That is only certain where no loop and no branch decides how often each of them has run.
    """
    ran = list(scene.ran())
    certain = scene.loop is None and all(
        one in ran and not in_loop(one) for one in writes if one.lineno < scene.line)
    earlier = [one for one in ran if one in writes]
    return earlier[-count:] if certain and len(earlier) > count else writes


def fixes_of_leaf(scene: Scene, leaf: Any, name: str, failed: Any) -> list[Fix]:
    left = from_before(scene.nodes, failed) if failed is not None else scene.nodes
    gone = [node for node in left if is_freed(node)]
    changed = [node for node in left if is_changed(node)]
    if rounds := carried(scene, gone + changed):
        return [separate_rounds(rounds),
                Fix("Add the results of all rounds up, and call backward() and step() once, after "
                    "the loop.",
                    "one step for all rounds, whose graphs stay in memory until then")]
    first = anew(scene, gone + changed)
    compute = Fix(f"Compute {first} anew after the write to {name}, and everything that follows "
                  f"from it.",
                  "you run this part of the forward pass once more; the gradient is that at the "
                  "new value")
    if not gone:
        loop = scene.loop
        if loop is not None and not stored_in(loop) & set(first.replace(",", " ").split()):
            return [compute]  # it was computed before the loop, so no order within a round is right
        return pass_before_write(scene, leaf, name, compute)
    if shared := border(scene, gone):
        return [Fix(f"Use `{shared}.detach()` in the earlier pass, and compute "
                    f"{anew(scene, changed)} after the write to {name}.",
                    f"the earlier pass adds nothing to the `.grad` of the leaves behind {shared}"),
                compute]
    return [compute]


def pass_before_write(scene: Scene, leaf: Any, name: str, compute: Fix) -> list[Fix]:
    """The failed pass moved in front of a step.

    It adds to the gradients that the step uses, if it is let.
    """
    before = ("Run every backward() that needs the old value before the write (such as "
              "optimizer.step()).")
    # no earlier pass left a gradient for the step
    if scene.verb != "backward" or leaf.grad is None and not scene.other_passes():
        return [Fix(before, "none"), compute]
    steppers = [optimizer for _, optimizer in scene.steps() if holds(optimizer, leaf)]
    leaves = leaves_of(scene.nodes)
    others = [optimizer for _, optimizer in scene.steps() if optimizer not in steppers]
    own = [one for one in leaves if not any(holds(optimizer, one) for optimizer in steppers) and (
        type(one).__name__ == "Parameter" or any(holds(optimizer, one) for optimizer in others))]
    if not own or not steppers:
        both = f"the write uses the sum of the gradients of both passes in {name}.grad"
        return [compute, Fix(before, both)]
    root = scene.of(scene.roots[0], "the result")
    paths = [scene.names.modules.get(id(one), ("",))[0] for one in leaves]
    models = {path for path, one in zip(paths, leaves, strict=True)
              if any(one is its for its in own)}
    inside = sum(path in models for path in paths)
    whole = len(models) == 1 and "" not in models and inside == len(own)
    names = ", ".join(scene.of(one, "...") for one in own)
    inputs = f"list({models.pop()}.parameters())" if whole else f"[{names}]"
    return [compute,
            Fix("Run the pass before the write, for the leaves that it is meant for alone: "
                f"`{root}.backward(inputs={inputs})`.",
                "the gradient is that at the old value; without inputs= it would also add to "
                f"{name}.grad, which the write uses")]


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
                      node: Any) -> tuple[str, list[Fix]]:
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
    part = view is not None and tensor is not None and view.numel() < tensor.numel()
    copy = f"a second tensor of {size}"
    if part:
        copy = (f"a second tensor of {bytes_of(view.element_size() * view.numel())}; the write no "
                f"longer reaches {name}")
    if layer := inplace_layer(scene) if not writes else "":
        by = f"{layer} writes its result into its input. {WATCH}" if line is None else by
        return by, [Fix(f"Give {layer} `inplace=False`.", copy)]
    mended = [out_of_place(one, scene) for one in writes]
    fixes = [Fix(f"Write into a copy: `{owner} = {owner}.clone()` before the write.", copy),
             Fix("Move the write after the backward pass.",
                 "the result is computed without the write")]
    if not writes:
        fixes.insert(0, Fix(f"Write out of place, as in `{name} = {name} + ...`.", copy))
    elif all(mended):
        codes = "; ".join(mended)
        fixes.insert(0, Fix(f"Write out of place: `{codes}`.", copy))
    return by, fixes
