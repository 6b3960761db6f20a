"""Causes in writes in place: refused writes, views, inference tensors, results of other shapes."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from .explain_inplace import out_of_place
from .explain_scene import Scene
from .explain_table import ABOUT, Told, cause, row
from .explanation import Fix
from .text import bytes_of

COPY = ("Write into a copy: `{it} = {it}.clone()` before the write.", "a second tensor of {size}")

# --- leaves and views


def leaf(scene: Scene, match: Any, view: bool = False) -> Told:
    tensor, base = ABOUT["written"](scene, match)
    name = scene.of(tensor, "the tensor")
    owner = base if base is not None else tensor
    leaf_name = scene.of(base, "a leaf") if base is not None else name
    size = bytes_of(owner.element_size() * math.prod(owner.shape)) if owner is not None else "its size"
    copy = f"a second tensor of {size}"
    what = (f"{name}, a view of the leaf {leaf_name}" if base is not None
            else f"a part of {name}, a leaf" if view else f"{name}, a leaf")
    fixes = [Fix("Write inside `with torch.no_grad():`, as an optimizer does.",
                 "the write is not differentiated; values saved before it may not be used any more"),
             Fix(f"Write into a copy: `copy = {leaf_name}.clone()`, and go on with copy.", copy)]
    code = out_of_place(scene.statement, scene) if base is None and scene.statement else ""
    if code.partition(" = ")[2].startswith("torch.where"):
        fixes[1:] = [Fix(f"Compute a new tensor: `copy = {code.partition(' = ')[2]}`, and go on with copy.",
                         copy)]
    return Told(
        [f"{scene.here} writes in place to {what} that requires a gradient.",
         f"Recorded, that write would make {leaf_name} the result of an operation, and {leaf_name} would "
         "have no .grad of its own. So it is refused, and nothing was written."],
        fixes, [owner] if owner is not None else [], [one for one in (tensor, base) if one is not None])


cause("view of a leaf written",
      r"a view of a leaf Variable that requires grad (?:is being|has been) used in an in-place")(
          partial(leaf, view=True))
cause("leaf written", r"a leaf Variable that requires grad (?:is being|has been) used in an in-place")(leaf)


row("one of several views written", r"Output (\d+) of (\w+) is a view and its base or another view",
    "uses {it}, output {0} of {1}, which returned several views of one tensor at once; that tensor was "
    "written to in place after {it} was taken.",
    "The history of such a view can't be rewritten after the write, so PyTorch refuses to use it.",
    "Take the views again after the write.",
    ("Take each view on its own, by index: `t[0]`.", "one recorded view for each"), about="unreadable")
row("one of several views written",
    r"Output (\d+) of (\w+) is a view and .*output of a function that returns multiple",
    "writes in place to {it}, output {0} of {1}, which returned several views of one tensor at once.",
    "The history of such a view can't be rewritten, so a write to it, or to its base, is refused.",
    ("Write out of place: `row = row + 1` for `row += 1`.", "a second tensor of {size}"),
    ("Take each view on its own, by index: `t[i] += 1`.", "one recorded view and write for each"),
    about="written")
row("view taken in another mode", r"(?:A view was created|a view of a view which was created) in (\w+) mode",
    "writes to the memory of {it}, a view that was taken inside {0}, and the write is outside.",
    "Whether the gradient should follow the write is not clear then, so it is refused.",
    ("Take the view outside {0}, too.", "the write is recorded"),
    ("Write inside {0}, too.", "the write is not differentiated"), about="written")
row("view from a custom Function written", r"This view was created inside a custom Function",
    "writes in place to {it}, a view that a custom Function returned.",
    "Rewriting its history would bypass the Function's own backward, so it is refused.",
    COPY, about="written")
row("memory that overlaps itself", "more than one element of the written-to tensor refers to a single memory",
    "writes to {it}, several elements of which share one place in memory, as after expand().",
    "One place can't hold several results.", COPY, about="written")
row("memory that overlaps the source", "some elements of the input tensor and the written-to tensor refer to",
    "reads and writes memory that partly overlaps.",
    "The write could change elements before they are read.",
    ("Read from a copy: clone() the tensor that is read.", "a second tensor of its size"), about="line")
row("a detached view", r"Can't detach views in-place",
    "would detach a view from its history, in place.", "Its base still has it as a view.",
    ("Use `detach()`, without the underscore.", "none: it shares the memory"), about="line")

# --- results that don't fit into the tensor that is there

row("result of another shape", r"output with shape (\[.*?\]) doesn't match the broadcast shape (\[.*?\])",
    "writes a result of shape {1} into a tensor of shape {0}.",
    "An operation in place can't make its tensor larger.",
    ("Write out of place: `y = y + z` for `y += z`.", "a new tensor of shape {1}"), about="line")
row("result of another dtype", r"result type (\w+) can't be cast to the desired output type (\w+)",
    "writes a result of type {0} into a tensor of type {1}.",
    "That would lose a part of each number.",
    ("Write out of place: `y = y + z` for `y += z`.", "a new tensor of type {0}"), about="line")
row("result into a given place",
    r"functions with out=\.\.\. arguments don't support automatic differentiation",
    "writes the result of a recorded operation into a tensor that existed before.",
    "That tensor has no place in the graph for it.",
    ("Leave out `out=...`, and use the result.", "a new tensor for the result"), about="line")
row("resize", r"cannot resize variables that require grad|not allowed to resize|resize_",
    "changes the size of a tensor that requires a gradient.",
    "Its gradient would have another shape than the tensor.",
    ("Make a new tensor.", "its memory"), about="line")

# --- tensors made in inference_mode

row("inference tensor saved", r"Inference tensors cannot be saved for backward",
    "records an operation that needs {it} for its gradient, and {it} was made in inference_mode.",
    "Such tensors count no writes, so a saved one could change unnoticed.",
    ("Use `{it}.clone()` outside of inference_mode.", "a second tensor of {size}"),
    ("Compute it under no_grad() in place of inference_mode().", "a little slower"), about="inference")
row("inference tensor written", r"Inplace update to inference tensor outside InferenceMode",
    "writes in place to {it}, which was made in inference_mode, outside of it.",
    "Such tensors count no writes, so the write would not be noticed.",
    COPY, ("Write inside inference_mode.", "the write is not recorded"), about="written")
row("version of an inference tensor", r"Inference tensors do not track version counter",
    "reads the version of a tensor that was made in inference_mode.",
    "Such tensors count no writes.",
    ("Make the tensor under no_grad() in place of inference_mode().", "a little slower"), about="line")
row("inference tensor as a leaf", r"Setting requires_grad=True on inference tensor outside InferenceMode",
    "sets requires_grad for a tensor that was made in inference_mode.",
    "No recorded operation may save such a tensor.",
    ("clone() it outside of inference_mode, and set requires_grad of the copy.", "a second tensor"),
    about="line")
