"""Causes that lie in a write: in-place operations that are refused, views, inference tensors, flags."""

from __future__ import annotations

import math
from typing import Any

from .explain_scene import Scene
from .explain_table import Told, cause
from .explanation import Fix
from .facts import base_of, can_be_read
from .text import bytes_of


def size_of(tensor: Any) -> str:
    return bytes_of(tensor.element_size() * math.prod(tensor.shape)) if tensor is not None else "its size"


def written(scene: Scene) -> tuple[Any, str, list[Any]]:
    """The tensor that was to be written, its name, and what to draw."""
    tensor = scene.written()
    if tensor is None:
        tensor = scene.subject()
    base = base_of(tensor) if tensor is not None else None
    others = [base] if base is not None else []
    return tensor, scene.of(tensor, "the tensor"), [one for one in (tensor, *others) if one is not None]


COPY = "Write into a copy: `{0} = {0}.clone()` before the write."
DURING = "Write inside `with torch.no_grad():`, as an optimizer does."


@cause(
    "view of a leaf written",
    "a view of a leaf Variable that requires grad (?:is being|has been) used in an "
    r"in-place",
)
def view_of_leaf(scene: Scene, match: Any) -> Told:
    return leaf(scene, match, view=True)


@cause("leaf written", r"a leaf Variable that requires grad (?:is being|has been) used in an in-place")
def leaf(scene: Scene, match: Any, view: bool = False) -> Told:
    tensor, name, show = written(scene)
    base = base_of(tensor) if tensor is not None else None
    leaf_name = scene.of(base, "a leaf") if base is not None else name
    what = (
        f"{name}, a view of the leaf {leaf_name}"
        if base is not None
        else f"a part of {name}, a leaf"
        if view
        else f"{name}, a leaf"
    )
    return Told(
        [
            f"{scene.here} writes in place to {what} that requires a gradient.",
            f"Recorded, that write would make {leaf_name} the result of an operation, and then it would have "
            "no .grad of its own; so it is refused, and nothing was written.",
        ],
        [
            Fix(DURING, "the write is not differentiated; values saved before it may not be used any more"),
            Fix(
                f"Write into a copy: `copy = {leaf_name}.clone()`, and go on with copy.",
                f"a second tensor of {size_of(base if base is not None else tensor)}",
            ),
        ],
        show[-1:] if base is not None else show[:1],
        show,
    )


@cause("one of several views written", r"Output (\d+) of (\w+) is a view and its base or another view")
def base_of_several_views_written(scene: Scene, match: Any) -> Told:
    tensor = scene.subject(lambda one: not can_be_read(one))
    name = scene.of(tensor, "the tensor")
    base = base_of(tensor)
    return Told(
        [
            f"{scene.here} uses {name}, output {match[1]} of {match[2]}, which returned several views of one "
            f"tensor at once; that tensor was written to in place after {name} was taken.",
            "The history of such a view can't be rewritten after the write, so PyTorch refuses to use it.",
        ],
        [
            Fix("Take the views again after the write.", "none"),
            Fix("Take each view on its own, by index: `t[0]`.", "one recorded view for each"),
        ],
        show=[] if base is None else [base],
    )


@cause(
    "one of several views written",
    r"Output (\d+) of (\w+) is a view and .*output of a function that "
    "returns "
    r"multiple views",
)
def several_views(scene: Scene, match: Any) -> Told:
    tensor, name, show = written(scene)
    return Told(
        [
            f"{scene.here} writes in place to {name}, output {match[1]} of {match[2]}, which returned "
            "several views of one tensor at once.",
            "The history of such a view can't be rewritten, so a write to it, or to what it views, is "
            "refused.",
        ],
        [
            Fix(
                "Write out of place: `row = row + 1` for `row += 1`.", f"a second tensor of {size_of(tensor)}"
            ),
            Fix("Take each view on its own, by index: `t[i] += 1`.", "one recorded view and write for each"),
        ],
        show[:1],
        show,
    )


@cause(
    "view taken in another mode",
    r"(?:A view was created|a view of a view which was created) in (\w+) "
    "mode",
)
def view_of_mode(scene: Scene, match: Any) -> Told:
    tensor, name, show = written(scene)
    mode = match[1]
    return Told(
        [
            f"{scene.here} writes to memory that {name} views, and {name} was taken inside {mode}, the write "
            "is outside.",
            "Whether the gradient should follow the write is not clear then, so it is refused.",
        ],
        [
            Fix(f"Take the view outside {mode}, too.", "the write is recorded"),
            Fix(f"Write inside {mode}, too.", "the write is not differentiated"),
        ],
        show[:1],
        show,
    )


@cause("view from a custom Function written", r"This view was created inside a custom Function")
def view_of_function(scene: Scene, match: Any) -> Told:
    tensor, name, show = written(scene)
    return Told(
        [
            f"{scene.here} writes in place to {name}, a view that a custom Function returned.",
            "Rewriting its history would go around the Function's own backward, so it is refused.",
        ],
        [Fix(COPY.format(name), f"a second tensor of {size_of(tensor)}")],
        show[:1],
        show,
    )


@cause(
    "memory that overlaps itself", "more than one element of the written-to tensor refers to a single memory"
)
def overlap(scene: Scene, match: Any) -> Told:
    tensor, name, show = written(scene)
    return Told(
        [
            f"{scene.here} writes to {name}, several elements of which are one place in memory, as expand() "
            "makes them.",
            "One place can't hold several results.",
        ],
        [Fix(COPY.format(name), f"a second tensor of {size_of(tensor)}")],
        show[:1],
        show,
    )


@cause("inference tensor saved", r"Inference tensors cannot be saved for backward")
def inference_saved(scene: Scene, match: Any) -> Told:
    found = scene.tensors(lambda tensor: tensor.is_inference())
    name = scene.of(found[0] if found else None, "a tensor")
    return Told(
        [
            f"{scene.here} records an operation that needs {name} for its gradient, and {name} was made in "
            "inference_mode.",
            "Such tensors count no writes, so a saved one could change unnoticed.",
        ],
        [
            Fix(
                f"Use `{name}.clone()` outside of inference_mode.",
                f"a second tensor of {size_of(found[0] if found else None)}",
            ),
            Fix("Compute it under no_grad() in place of inference_mode().", "a little slower"),
        ],
        found[:1],
        scene.tensors(),
    )


@cause("inference tensor written", r"Inplace update to inference tensor outside InferenceMode")
def inference_written(scene: Scene, match: Any) -> Told:
    tensor, name, show = written(scene)
    return Told(
        [
            f"{scene.here} writes in place to {name}, which was made in inference_mode, outside of it.",
            "Such tensors count no writes, so nobody would notice.",
        ],
        [
            Fix(COPY.format(name), f"a second tensor of {size_of(tensor)}"),
            Fix("Write inside inference_mode.", "the write is not recorded"),
        ],
        show[:1],
        show,
    )
