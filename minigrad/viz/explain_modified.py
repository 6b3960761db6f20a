"""The cause "modified by an inplace operation": a saved tensor was overwritten before the pass needed it."""

from __future__ import annotations

import ast
import math
from typing import Any

from .explain_inplace import inplace_layer, out_of_place, written_to
from .explain_lines import Line, is_changed, is_freed, line_words, statement_at, stored_in, targets_of
from .explain_scene import Scene, written_at
from .explain_stale import anew, border, carried, from_before, separate_rounds
from .explain_table import Told, cause
from .explanation import Fix
from .facts import base_of, is_tensor, storage_of, version_of
from .names import VIEW
from .places import place_of, short
from .read import is_accumulate, saved_by
from .text import bytes_of


@cause(
    "modified",
    r"modified by an inplace operation: \[(?P<type>\S+) \[(?P<shape>[\d, ]*)\]\](?:, which is "
    r"output \d+ of (?P<made>[^,]+),)? is at version (?P<now>\d+); expected version (?P<then>\d+)",
)
def modified(scene: Scene, match: Any) -> Told:
    now, then = int(match["now"]), int(match["then"])
    rows = {id(node): [row for row in saved_by(node) if row[3] == (then, now)] for node in scene.nodes}
    node = scene.first(lambda one: rows.get(id(one)))
    slots = " and ".join(f"`{row[0]}`" for row in rows.get(id(node), [])) or "a value"
    tensor = overwritten(scene, match, now, node)
    shape = tuple(int(length) for length in match["shape"].split(",") if length.strip())
    name = scene.of(tensor, f"a tensor of shape {shape}")
    recorded = place_of(node) if node is not None else ""
    times = "once" if now - then == 1 else f"{now - then} times"
    sentence = (f"{scene.node(node)}{f', recorded in {recorded},' if recorded else ''} saved {name} as "
                f"{slots} at version {then} to compute its gradient, and {name} has been written in place "
                f"{times} since: it is at version {now}.")
    size = bytes_of(element_bytes(match["type"]) * math.prod(shape))
    if tensor is not None and tensor.is_leaf and tensor.requires_grad:
        by, fixes = leaf_written_by(scene, tensor, now - then), fixes_of_leaf(scene, name, node)
    else:
        by, fixes = result_written_by(scene, tensor, name, now - then, size)
    return Told([sentence, by], fixes, [node] if node is not None else [], versions=True)


# --- which tensor

def overwritten(scene: Scene, match: Any, now: int, node: Any) -> Any:
    """The tensor that was written, by the name that the program has for it, as far as that is certain."""
    shape = [int(n) for n in match["shape"].split(",") if n.strip()]
    exact = scene.subject(lambda tensor: version_of(tensor) == now) if scene.failed is not None else None
    base = base_of(exact) if exact is not None else None
    for tensor in (exact, base):
        if tensor is not None and scene.names.of(tensor):
            return tensor
    exact = kept_by(node, now) if exact is None else exact
    used = [leaf for leaf in leaves_used(node)
            if version_of(leaf) == now and leaf.numel() == math.prod(shape)
            and (exact is None or leaf.data_ptr() == exact.data_ptr())]
    if len(used) == 1:
        return used[0]
    fits = [tensor for tensor in scene.names.tensors.values()
            if list(tensor.shape) == shape and version_of(tensor) == now]
    if exact is not None:  # the program's name for the same memory
        fits = [tensor for tensor in fits if tensor.data_ptr() == exact.data_ptr()]
    memory = {tensor.data_ptr() for tensor in fits}
    return fits[0] if len(memory) == 1 else exact


def kept_by(node: Any, now: int) -> Any:
    """The tensor that a node kept and that is at version `now`, as PyTorch's SavedTensors tell it."""
    rows = [row for row in saved_by(node) if row.state == "changed"] if node is not None else []
    found = [getattr(node, f"_raw_{'saved_' * (row.slot != 'saved_tensors')}{row.slot}", ()) for row in rows]
    kept = [one for raw in found for one in (raw if isinstance(raw, tuple) else (raw,))]
    data = [getattr(one, "data", None) for one in kept if getattr(one, "unpack_hook", None) is None]
    return next((one for one in data if is_tensor(one) and version_of(one) == now), None)


def leaves_used(node: Any) -> list[Any]:
    """The leaves that an operation takes, as they are or through views that only turn or cut them."""
    found, stack = [], [node] if node is not None else []
    while stack:
        for child, _ in stack.pop().next_functions:
            if child is not None and is_accumulate(child):
                found.append(child.variable)
            elif child is not None and VIEW.match(child.name()):
                stack.append(child)
    return found


def element_bytes(kind: str) -> int:
    sizes = {"Half": 2, "BFloat16": 2, "Double": 8, "Long": 8, "Short": 2, "Byte": 1, "Char": 1, "Bool": 1}
    return next(
        (size for word, size in sizes.items() if f".{word}Tensor" in kind or kind.endswith(f"{word}Type")), 4
    )


PROGRAM = "the program writes to it in"
UNKNOWN = "Only inside `with watch():` is the line remembered that wrote to it"


def written_by(found: list[tuple[str, int, str]], action: str) -> str:
    """Where the program's text writes: (file, line, text) for each place."""
    lines = " and ".join(f"{short(file, line)}, `{text}`" for file, line, text in found)
    return f"{UNKNOWN}; {action} {lines}." if lines else f"{UNKNOWN}."


def remembered(line: Line, count: int) -> str:
    return f"The {'last write' if count > 1 else 'write'} was in {line_words(line)}."


# --- a leaf, which an optimizer or the program itself changed

def leaf_written_by(scene: Scene, leaf: Any, count: int) -> str:
    if (line := written_at(leaf)) is not None:
        return remembered(line, count)
    file = scene.frame.f_code.co_filename if scene.frame else ""
    if writes := scene.writes_to({scene.names.of(leaf)}):
        return written_by([(file, one.lineno, ast.unparse(one)) for one in writes], PROGRAM)
    steps = [(file, line, text) for text, line, optimizer in scene.steps()
             if any(one is leaf for group in optimizer.param_groups for one in group["params"])]
    earlier = [step for step in steps if step[1] < scene.line]
    return written_by(earlier or steps, "the optimizer that holds it writes in")


def fixes_of_leaf(scene: Scene, name: str, failed: Any) -> list[Fix]:
    left = from_before(scene.nodes, failed) if failed is not None else scene.nodes
    gone, changed = [node for node in left if is_freed(node)], [node for node in left if is_changed(node)]
    if rounds := carried(scene, gone + changed):
        return [separate_rounds(rounds),
                Fix("Add the results of all rounds up, and call backward() and step() once, after the loop.",
                    "one step for all rounds, whose graphs stay in memory until then")]
    first = anew(scene, gone + changed)
    compute = Fix(f"Compute {first} anew after the write to {name}, and everything that follows from it.",
                  "you run this part of the forward pass once more; the gradient is that at the new value")
    if not gone:
        loop = scene.loop
        if loop is not None and not stored_in(loop) & set(first.replace(",", " ").split()):
            return [compute]  # it was computed before the loop, so no order within a round is right
        before = "Run every backward() that needs the old value before the write (such as optimizer.step())."
        return [Fix(before, "none"), compute]
    if shared := border(scene, gone):
        return [Fix(f"Use `{shared}.detach()` in the earlier pass, and compute {anew(scene, changed)} after "
                    f"the write to {name}.",
                    f"the earlier pass adds nothing to the `.grad` of the leaves behind {shared}"), compute]
    return [compute]


# --- a result of an operation

def result_written_by(scene: Scene, tensor: Any, name: str, count: int, size: str) -> tuple[str, list[Fix]]:
    line = written_at(tensor) if tensor is not None else None
    memory = storage_of(tensor) if tensor is not None else None
    names = {key for key, other in scene.names.tensors.items() if memory and storage_of(other) == memory}
    writes = scene.writes_to({*names, name})
    if line is not None and not targets_of(statement_at(line.filename, line.line)):
        writes = []  # a layer or function that the program called wrote to it
    layer = inplace_layer(scene) if not writes else ""
    file = scene.frame.f_code.co_filename if scene.frame else ""
    if line is not None:
        by = remembered(line, count)
    elif layer:
        by = f"{UNKNOWN}; {layer} writes its result into its input."
    else:
        by = written_by([(file, one.lineno, ast.unparse(one)) for one in writes], PROGRAM)
    copy = f"a second tensor of {size}"
    if layer:
        return by, [Fix(f"Give {layer} `inplace=False`.", copy)]
    mended = [out_of_place(one, scene) for one in writes]
    owner = written_to(writes) or name
    fixes = [Fix(f"Write into a copy: `{owner} = {owner}.clone()` before the write.", copy),
             Fix("Move the write after the backward pass.", "the result is computed without the write")]
    if not writes:
        fixes.insert(0, Fix(f"Write out of place: `{name} = {name} + ...` for `{name} += ...`.", copy))
    elif all(mended):
        codes = "; ".join(mended)
        fixes.insert(0, Fix(f"Write out of place: `{codes}`.", copy))
    return by, fixes
