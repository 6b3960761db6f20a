"""A leaf that was overwritten after an operation had saved it: what wrote to it, and what helps."""
from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from ..drawing.explanation import Fix
from ..drawing.text_twin import bytes_of
from ..graph.modules import inner_modules, is_model, joined, members
from ..graph.node_records import record_of
from ..graph.walk import leaves_of
from ..program.entered import looped_tensors
from ..program.given import held_by
from ..program.lines import Line, is_changed, is_freed, line_words, stored_in
from ..program.names import as_code
from ..program.node_lines import line_of, place_of
from ..program.parsed import parts_of
from ..program.ran import in_loop, statement_of
from ..program.training_text import kinds_of
from ..watching.calls import Call, call_of, own
from ..watching.write_records import last_order, writes_of
from .scene import Scene
from .stale import anew, border, carried, from_before, separate_rounds

WATCH = "`with watch():` would tell which line wrote to it."


def last_write(tensor: Any) -> Line | None:
    """The line of the last write in place, where the engine or a watch remembers it."""
    found = writes_of(tensor) or ()
    return next((line for version, line in reversed(found) if version == tensor._version), None)


def written_by(tensor: Any, count: int, found: Iterable[ast.AST], who: str = "The program",
               wrote: str = "writes") -> str:
    """The line that wrote, or else the statements and calls that the program's text shows."""
    if (line := last_write(tensor)) is not None:
        return f"The {'last write' if count > 1 else 'write'} was in {line_words(line)}."
    lines = " and ".join(dict.fromkeys(line_words(line_of(one)) for one in found))
    return f"{who} {wrote} to it in {lines}; {WATCH}" if lines else WATCH


def leaf_written_by(scene: Scene, leaf: Any, count: int) -> str:
    layer, limit = limiting(scene, leaf)
    limits = f"limits the rows of its weight in place (max_norm={limit})"
    if (call := writing_call(scene, leaf)) is not None:
        which = f"{layer}, which {limits}" if layer == call.path else call.path
        return f"{written_by(leaf, count, ())[:-1]}, inside the forward pass of {which}."
    writes: list[Any] = since(scene, scene.writes_to({scene.names.of(leaf)}), count)
    who = "The program"
    if not writes:
        writes = scene.writes_in_loops(leaf)
        steps = [step for step, optimizer in scene.steps() if holds(optimizer, leaf)]
        earlier = [step for step in steps if step.lineno < scene.line]
        who = "The optimizer that holds it"
        if writes:
            who = "A loop over the parameters" + ", or the optimizer that holds them," * bool(steps)
        writes = [*writes, *(earlier or ([] if layer else steps))]
    if layer and not writes and last_write(leaf) is None:
        return f"{layer} {limits} in its forward pass, and that may have been it; {WATCH}"
    ran = list(scene.ran())
    wrote = "writes" if all(statement_of(one) in ran for one in writes) else "may have written"
    return written_by(leaf, count, writes, who, wrote)


def limiting(scene: Scene, leaf: Any) -> tuple[str, Any]:
    """(name, max_norm) of the module that has the leaf as its weight, as nn.Embedding; or ""."""
    for name, model in scene.names.models:
        for path, module in inner_modules(model).items():
            limit = vars(module).get("max_norm")
            if limit is not None and own(module, "_parameters").get("weight") is leaf:
                return joined(name, path), limit
    return "", None


def writing_call(scene: Scene, leaf: Any) -> Call | None:
    """The innermost call of a module that wrote to the leaf, and then recorded a part of the graph.

    A pass through the graph can't run before such a write.
    """
    order = last_order(leaf)
    found = [call for node in scene.nodes if (inside := call_of(node)) is not None
             for call in inside.around if call.number < order < record_of(node).get("order", 0)]
    return max(found, key=lambda call: call.number, default=None)


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
    if (inside := fixes_inside(scene, leaf, name, failed)) is not None:
        return inside
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


def fixes_inside(scene: Scene, leaf: Any, name: str, failed: Any) -> list[Fix] | None:
    """What helps where a module writes to a leaf in the forward pass that uses it; None: it isn't
    known to.
    """
    line, (layer, _) = last_write(leaf), limiting(scene, leaf)
    steps = [step for step, optimizer in scene.steps() if holds(optimizer, leaf)]
    stepped = any(step.lineno < scene.line if line is None else step.lineno == line.line
                  for step in steps)
    sure = writing_call(scene, leaf) is not None or bool(layer) and not stepped
    if not sure and getattr(line, "function", "") != "forward":
        return None
    place = place_of(failed) if failed is not None else ""
    where = f"in {place}" if place else f"for {scene.node(failed)}"
    size = bytes_of(leaf.element_size() * leaf.numel())
    copy = Fix(f"Use a copy {where}: `{as_code(name)}.clone()`.",
               f"a second tensor of {size}, with the numbers before the write")
    what = f"the write, {line_words(line)}," if line is not None else f"the call of {layer}"
    return [*[Fix(f"Move {what} in front of the use of {name} {where}.",
                  f"{name} is used with the numbers after the write")] * sure, copy]


def pass_before_write(scene: Scene, leaf: Any, name: str, compute: Fix) -> list[Fix]:
    """The failed pass moved in front of a step: it adds to the step's gradients, if it is let."""
    before = ("Run every backward() that needs the old value before the write (such as "
              "optimizer.step()).")
    leaves = leaves_of(scene.nodes)
    # no earlier pass left a gradient for the step
    if scene.verb != "backward" or leaf.grad is None and not scene.other_passes():
        return [Fix(before + moved_too(scene, leaf, leaves), "none"), compute]
    steppers = [optimizer for _, optimizer in scene.steps() if holds(optimizer, leaf)]
    others = [optimizer for _, optimizer in scene.steps() if optimizer not in steppers]
    own = [one for one in leaves if not any(holds(optimizer, one) for optimizer in steppers) and (
        type(one).__name__ == "Parameter" or any(holds(optimizer, one) for optimizer in others))]
    if not own or not steppers:
        both = f"the write uses the sum of the gradients of both passes in {name}.grad"
        later = any(step.lineno > scene.line and holds(optimizer, leaf)
                    for step, optimizer in scene.steps())  # it would find what is emptied before it
        offered = not (later and moved_too(scene, leaf, leaves))
        return [compute, *[Fix(before, both)] * offered]
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
                f"`{root}.backward(inputs={inputs})`.{moved_too(scene, leaf, own)}",
                "the gradient is that at the old value; without inputs= it would also add to "
                f"{name}.grad, which the write uses")]


def moved_too(scene: Scene, leaf: Any, filled: list[Any]) -> str:
    """Says which lines between the write and the pass empty what the pass fills, or ""."""
    written = last_write(leaf)
    since = min((step.lineno for step, optimizer in scene.steps() if holds(optimizer, leaf)),
                default=0)
    if written is not None:  # in another file, its number says nothing
        since = written.line if written.filename == scene.file else 0
    lines = [line_words(line_of(part)) for one in scene.program.body for part in parts_of(one)
             for kind, owner in kinds_of(part) if kind == "empty"
             and since <= getattr(part, "lineno", 0) < scene.line
             and empties(scene, owner, filled)]
    return (f" Move {' and '.join(dict.fromkeys(lines))}, in front of it, too: after it, that "
            "would empty what it brings.") if lines else ""


def empties(scene: Scene, owner: ast.expr, filled: list[Any]) -> bool:
    """Whether an optimizer, a model or a variable may hold one of these leaves."""
    value = scene.program.held(owner)
    held = [value, *looped_tensors(owner, scene.program)]
    if hasattr(value, "param_groups"):
        held = held_by(value)
    elif is_model(value):
        held = [one for _, one in members(value)]
    return value is None or any(one is leaf for one in held for leaf in filled)
