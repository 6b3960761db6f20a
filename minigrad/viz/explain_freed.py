"""The cause of the most famous error: values that an earlier backward pass freed."""

from __future__ import annotations

from typing import Any

from .explain_lines import is_freed, line_words
from .explain_scene import Scene
from .explain_table import Told, cause
from .explanation import Fix
from .facts import is_node
from .places import short
from .read import is_accumulate, saved_by


@cause("freed", r"backward through the graph a second time|after they have already been freed")
def freed(scene: Scene, match: Any) -> Told:
    if not scene.roots:
        return freed_and_asked_for(scene)
    gone = [node for node in scene.in_run_order() if is_freed(node)]
    if scene.failed is not None:
        gone = [scene.failed]
    node = gone[0] if gone else None
    root = scene.of(scene.roots[0], "the result")
    slots = ", ".join(f"`{row[0]}`" for row in saved_by(node) if row[1] == "freed") if len(gone) == 1 else ""
    kept = f" ({slots})" if slots else ""
    words = [
        f"{scene.here} reached {one_of(scene, gone)} and found that what it had saved for its gradient{kept} "
        "is gone."
    ]
    line = getattr(node, "_freed_at", None)
    if line is not None:
        file = scene.frame.f_code.co_filename if scene.frame is not None else ""
        again = " the same line in an earlier run," * ((line.filename, line.line) == (file, scene.line))
        words.append(
            f"The backward pass of {line_words(line)},{again} freed it: a pass frees what it has used."
        )
    else:
        words.append(
            "An earlier backward() or grad() through it freed it, as a pass frees what it has used; "
            "which line that was, the public names do not tell."
        )
    first = "in the pass of " + short(line.filename, line.line) if line is not None else "in the first pass"
    fixes = [
        Fix(f"Compute {root} anew before each backward().", "the forward computation, once more"),
        Fix("Add the results up and call backward() once.", "you get only the gradient of the sum"),
    ]
    names = [
        name for one in gone for name, _ in scene.names.outputs(one).values() if others_reached(scene, one)
    ]
    if names:
        fixes.append(
            Fix(
                f"Go on from `{names[0]}.detach()`, where {names[0]} comes from an earlier round.",
                f"no gradient flows into what lies behind {names[0]}",
            )
        )
    fixes.append(
        Fix(
            f"Give retain_graph=True {first}.",
            f"everything that the graph saved stays in memory as long as the graph does; `draw({root}, "
            "show='memory')` before that pass shows how much",
        )
    )
    return Told(words, fixes, gone)


def one_of(scene: Scene, nodes: list[Any]) -> str:
    """The operation; where it can be one of several, those."""
    if len(nodes) < 2:
        return scene.node(nodes[0] if nodes else None)
    if len(nodes) > 4:
        return f"one of {len(nodes)} operations"
    *most, last = [scene.node(node) for node in nodes]
    return f"{', '.join(most)} or {last} (the public names do not tell which)"


def others_reached(scene: Scene, without: Any) -> bool:
    """Whether the roots lead to some leaf without going through a node."""
    starts = [root if is_node(root) else root.grad_fn for root in scene.roots]
    stack, seen = [node for node in starts if node is not None], {id(without)}
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            if is_accumulate(node):
                return True
            stack += [child for child, _ in node.next_functions if child is not None]
    return False


def freed_and_asked_for(scene: Scene) -> Told:
    """No pass was under way: the program itself asked a node for what it had saved."""
    nodes = [value for _, value in scene.expressions if is_node(value)]
    tensors = scene.tensors(lambda tensor: tensor.grad_fn is not None and is_freed(tensor.grad_fn))
    guilty = nodes[:1] or [tensor.grad_fn for tensor in tensors[:1]]
    line = getattr(guilty[0], "_freed_at", None) if guilty else None
    who = f"the backward pass of {line_words(line)}" if line else "a backward pass"
    return Told(
        [
            f"{scene.here} asked for a value that {scene.node(guilty[0] if guilty else None)} had saved, and "
            f"{who} has freed it.",
            "A pass frees what it has used.",
        ],
        [
            Fix("Look at the value before backward().", "none"),
            Fix(
                "Give that pass retain_graph=True.",
                "everything that the graph saved stays in memory as long as the graph does",
            ),
        ],
        guilty,
        nodes[:1] or tensors[:1] or [],
    )
