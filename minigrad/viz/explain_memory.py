"""Causes in writes and memory that the message alone explains."""

from __future__ import annotations

from .explain_table import simple

simple(
    "memory that overlaps the source",
    "some elements of the input tensor and the written-to tensor refer to",
    "reads and writes memory that partly overlaps.",
    "What is read might be overwritten already.",
    fixes=(("Read from a copy: clone() the tensor that is read.", "a second tensor of its size"),),
    show=True,
)
simple(
    "result of another shape",
    r"output with shape (\[.*?\]) doesn't match the broadcast shape (\[.*?\])",
    "writes a result of shape {1} into a tensor of shape {0}.",
    "An operation in place can't make its tensor larger.",
    fixes=(("Write out of place: `y = y + z` for `y += z`.", "a new tensor of shape {1}"),),
    show=True,
)
simple(
    "result of another dtype",
    r"result type (\w+) can't be cast to the desired output type (\w+)",
    "writes a result of type {0} into a tensor of type {1}.",
    "That would lose a part of each number.",
    fixes=(("Write out of place: `y = y + z` for `y += z`.", "a new tensor of type {0}"),),
    show=True,
)
simple(
    "version of an inference tensor",
    r"Inference tensors do not track version counter",
    "asks how often a tensor was written that was made in inference_mode.",
    "Such tensors count no writes.",
    fixes=(("Make the tensor under no_grad() in place of inference_mode().", "a little slower"),),
    show=True,
)
simple(
    "inference tensor as a leaf",
    r"Setting requires_grad=True on inference tensor outside InferenceMode",
    "wants a gradient for a tensor that was made in inference_mode.",
    "Such tensors take part in no recorded operation that saves them.",
    fixes=(
        (
            "clone() it outside of inference_mode, and let the copy require a gradient.",
            "a second tensor of its size",
        ),
    ),
    show=True,
)
simple(
    "a detached view",
    r"Can't detach views in-place",
    "would cut a view from its history, in place.",
    "Its base would still know it as a view.",
    fixes=(("Use `detach()`, without the underscore.", "none: it shares the memory"),),
    show=True,
)
simple(
    "resize",
    r"cannot resize variables that require grad|not allowed to resize|resize_",
    "changes the size of a tensor that requires a gradient.",
    "Its gradient would have another shape than it.",
    fixes=(("Make a new tensor.", "its memory"),),
    show=True,
)
simple(
    "data deleted",
    r"Deleting tensor data is not allowed",
    "deletes the data of a tensor.",
    "A tensor always has some.",
    fixes=(("Delete the variable: `del x`.", "none"),),
)
simple(
    "data of integers",
    r"data set to a tensor that requires gradients must be floating point",
    "puts whole numbers into a tensor that requires a gradient.",
    "Only floating point numbers have gradients.",
    fixes=(("Convert them: `.float()`.", "none"),),
    show=True,
)
simple(
    "result into a given place",
    r"functions with out=\.\.\. arguments don't support automatic differentiation",
    "writes the result of a recorded operation into a tensor that was there before.",
    "That tensor has no place in the graph for it.",
    fixes=(("Do without `out=...`, and take the result.", "a new tensor for the result"),),
    show=True,
)
