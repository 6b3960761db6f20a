"""A leaf that was overwritten after an operation had saved it: what wrote to it, and what helps."""
from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from ..drawing.explanation import Fix
from ..graph.walk import leaves_of
from ..program.given import held_by
from ..program.lines import Line, is_changed, is_freed, line_words, stored_in
from ..program.places import line_of
from ..program.ran import in_loop
from ..watching.records import writes_of
from .scene import Scene
from .stale import anew, border, carried, from_before, separate_rounds

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
