"""Causes in writes in place: refused writes, views, memory that is shared, inference tensors."""
from __future__ import annotations

from .table import row

COPY = ("Write into a copy: `{it} = {it}.clone()` before the write.", "a second tensor of {size}")

LEAF = ("Recorded, that write would make {it} the result of an operation, without a .grad of its "
        "own. So it is refused, and nothing was written.",
        ("Write inside `with torch.no_grad():`, as an optimizer does.",
         "the write is not differentiated; values saved before it may not be used any more"),
        ("Leave {it} as it is, and write into a copy: `copy = {it}.clone()`.",
         "a second tensor of {size}"))

# --- leaves and views

row("view of a leaf written",
    r"a view of a leaf Variable that requires grad (?:is being|has been) used in an in-place",
    "writes in place to a part of {it}, a leaf that requires a gradient.", *LEAF, about="leaf")
row("leaf written", r"a leaf Variable that requires grad (?:is being|has been) used in an in-place",
    "writes in place to {it}, a leaf that requires a gradient.", *LEAF, about="leaf")
row("one of several views written", r"Output (\d+) of (\w+) is a view and its base or another view",
    "uses {it}, output {0} of {1}, which returned several views of one tensor at once; that tensor "
    "was written to in place after {it} was taken.",
    "The history of such a view can't be rewritten after the write, so PyTorch refuses to use it.",
    ("Take the views again after the write.",
     "one more recorded operation, which copies no numbers"),
    ("Take each view on its own, by index: `t[0]`.", "one recorded view for each"),
    about="unreadable")
row("one of several views written",
    r"Output (\d+) of (\w+) is a view and .*output of a function that returns multiple",
    "writes in place to {it}, output {0} of {1}, which returned several views of one tensor at "
    "once.",
    "The history of such a view can't be rewritten, so a write to it, or to its base, is refused.",
    ("Compute new parts out of place, and join them: `t = torch.stack([row + 1 for row in t])` "
     "after unbind() or a loop over t, and torch.cat() after split() or chunk().",
     "a second tensor as large as t, and the new parts until they are joined"),
    ("Write by index, into a copy: `t = t.clone()`, and then `t[i] += 1` for each view.",
     "a second tensor as large as t; one recorded view and two recorded writes for each"),
    about="written")
row("view taken in another mode",
    r"(?:A view was created|a view of a view which was created) in (\w+) mode",
    "writes to the memory of {it}, a view that was taken inside {0}, and the write is outside.",
    "Whether the gradient should follow the write is not clear then, so it is refused.",
    ("Take the view outside {0}, too.", "the write is recorded"),
    ("Write inside {0}, too.", "the write is not differentiated"), about="written")
row("view from a custom Function written", r"This view was created inside a custom Function",
    "writes in place to {it}, a view that a custom Function returned.",
    "It is a view, as forward() returned an input or a view of one. Rewriting its history would "
    "bypass the Function's own backward, so it is refused. If forward() writes into that input, "
    "`ctx.mark_dirty(...)` there makes it the result of the Function.",
    COPY, about="written")
row("memory that overlaps itself",
    "more than one element of the written-to tensor refers to a single memory",
    "writes to {it}, several elements of which share one place in memory, as after expand().",
    "One place can't hold several results.", COPY, about="written")

# --- tensors made in inference_mode

row("inference tensor saved", r"Inference tensors cannot be saved for backward",
    "records an operation that needs {it} for its gradient, and {it} was made in inference_mode.",
    "Writes to such a tensor aren't counted, so a saved one could change unnoticed.",
    ("Use `{it}.clone()` outside of inference_mode.", "a second tensor of {size}"),
    ("Compute it under no_grad() in place of inference_mode().",
     "views of the tensor and writes to it are tracked"), about="inference")
row("inference tensor written", r"Inplace update to inference tensor outside InferenceMode",
    "writes in place to {it}, which was made in inference_mode, outside of it.",
    "Writes to such a tensor aren't counted, so this one would go unnoticed.",
    COPY, ("Write inside inference_mode.", "the write is not recorded"), about="written")
