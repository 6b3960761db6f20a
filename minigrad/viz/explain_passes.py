"""Causes that a backward pass runs into: what was overwritten, and nan."""

from __future__ import annotations

import math
from typing import Any

from .explain_lines import line_words
from .explain_scene import Scene
from .explain_table import Told, cause
from .explanation import Fix
from .facts import base_of, is_tensor, version_of
from .names import VIEW
from .places import short
from .read import is_accumulate, saved_by
from .text import bytes_of


@cause(
    "modified",
    r"modified by an inplace operation: \[(?P<type>\S+) \[(?P<shape>[\d, ]*)\]\](?:, which is "
    r"output \d+ of (?P<made>[^,]+),)? is at version (?P<now>\d+); expected version "
    r"(?P<then>\d+)",
)
def modified(scene: Scene, match: Any) -> Told:
    now, then = int(match["now"]), int(match["then"])
    rows = {id(node): [row for row in saved_by(node) if row[3] == (then, now)] for node in scene.nodes}
    node = scene.first(lambda one: rows.get(id(one)))
    slots = " and ".join(f"`{row[0]}`" for row in rows.get(id(node), [])) or "a value"
    tensor = overwritten(scene, match, now, node)
    shape = tuple(int(length) for length in match["shape"].split(",") if length.strip())
    name = scene.of(tensor, f"a tensor of shape {shape}")
    words = [
        f"{scene.node(node)} saved {name} as {slots} at version {then} to compute its gradient, and {name} "
        f"has been written in place {times(now - then)} since: it is at version {now}.",
        written_by(scene, tensor, now - then),
    ]
    size = bytes_of(
        element_bytes(match["type"]) * math.prod(shape)
    )
    if tensor is not None and tensor.is_leaf:
        fixes = [
            Fix(
                "Run every backward() that needs the old value before the write (such as optimizer.step()).",
                "none",
            ),
            Fix(
                f"Compute the result anew after the write to {name}.",
                "the forward computation, once more; the gradient is that at the new value",
            ),
        ]
    else:
        fixes = [
            Fix(
                f"Write out of place: `{name} = {name} + ...` for `{name} += ...`.",
                f"a second tensor of {size}",
            ),
            Fix(
                f"Write into a copy: `{name} = {name}.clone()` before the write.",
                f"a second tensor of {size}",
            ),
            Fix("Move the write after the backward pass.", "the result is computed without the write"),
        ]
    return Told(words, fixes, [node] if node is not None else [], versions=True)


def overwritten(scene: Scene, match: Any, now: int, node: Any) -> Any:
    """The tensor that was written, by the name that the program has for it, as far as that is certain."""
    shape = [int(n) for n in match["shape"].split(",") if n.strip()]
    exact = scene.subject(lambda tensor: version_of(tensor) == now) if scene.failed is not None else None
    base = base_of(exact) if exact is not None else None
    for tensor in (exact, base):
        if tensor is not None and scene.names.of(tensor):
            return tensor
    used = [
        leaf for leaf in leaves_used(node) if version_of(leaf) == now and leaf.numel() == math.prod(shape)
    ]
    if len(used) == 1:
        return used[0]
    fits = [
        tensor
        for tensor in scene.names.tensors.values()
        if list(tensor.shape) == shape and version_of(tensor) == now
    ]
    if exact is not None:  # the program's name for the same memory
        fits = [tensor for tensor in fits if tensor.data_ptr() == exact.data_ptr()]
    memory = {tensor.data_ptr() for tensor in fits}
    return fits[0] if len(memory) == 1 else exact


def leaves_used(node: Any) -> list[Any]:
    """The leaves that an operation takes, as they are or through views that only turn or cut them."""
    found, stack = (
        [],
        [child for child, _ in node.next_functions if child is not None] if node is not None else [],
    )
    while stack:
        child = stack.pop()
        if is_accumulate(child):
            found.append(child.variable)
        elif VIEW.match(child.name()):
            stack += [next_node for next_node, _ in child.next_functions if next_node is not None]
    return found


def times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def written_by(scene: Scene, tensor: Any, count: int) -> str:
    line = getattr(tensor, "_written_at", None) if tensor is not None else None
    if line is not None:
        return f"The {'last write' if count > 1 else 'write'} was in {line_words(line)}."
    name = scene.names.of(tensor) if tensor is not None else ""
    found = scene.writes_to(name) if name else []
    if found:
        file = scene.frame.f_code.co_filename
        lines = " and ".join(f"{short(file, number)}, `{text}`" for number, text in found)
        return (
            f"The engine does not tell which line wrote it; the program's text writes to {name} in {lines}."
        )
    steps = scene.steps() if tensor is not None and tensor.is_leaf else []
    if steps:
        return (
            "The engine does not tell which line wrote it; the program's text steps an optimizer, which "
            f"writes to leaves, in {' and '.join(steps)}."
        )
    return (
        "The engine does not tell which line wrote it; anomaly mode, switched on before the forward pass, "
        "shows the line that recorded the operation."
    )


def element_bytes(kind: str) -> int:
    sizes = {"Half": 2, "BFloat16": 2, "Double": 8, "Long": 8, "Short": 2, "Byte": 1, "Char": 1, "Bool": 1}
    return next(
        (size for word, size in sizes.items() if f".{word}Tensor" in kind or kind.endswith(f"{word}Type")), 4
    )


@cause("nan", r"Function '(\w+)' returned nan values in its (\d+)th output")
def nan(scene: Scene, match: Any) -> Told:
    alike = [node for node in scene.in_run_order() if node.name() == match[1]]
    guilty = [scene.failed] if scene.failed is not None else alike
    one = len(guilty) == 1
    saved = [
        f"`{slot}` = {' '.join(str(value.tolist()).split())}"
        for slot, state, value, _ in (saved_by(guilty[0]) if one else [])
        if is_tensor(value) and math.prod(value.shape) <= 6
    ]
    words = [
        f"{scene.here} got nan from "
        f"{scene.node(guilty[0]) if one else f'one of {len(guilty)} {match[1]}' if guilty else match[1]}, in "
        f"the gradient of its input {match[2]}" + (f"; it had saved {', '.join(saved)}." if saved else "."),
        "Such a nan is 0 times infinity, infinity minus infinity, or a nan that arrived: often the slope of "
        "sqrt, log, or a division at 0, in a branch that where() did not choose.",
    ]
    return Told(
        words,
        [
            Fix(
                "Make the input safe before the operation: `torch.where(ok, x, 1)` inside, and where() again "
                "outside.",
                "one more operation and its mask in memory",
            ),
            Fix(
                "Keep away from the edge: `(x + 1e-12).sqrt()`.", "the value and the gradient change a little"
            ),
        ],
        [node for node in guilty if node is not None],
    )
