"""Causes in flags and attributes of tensors that the message alone explains."""

from __future__ import annotations

from .explain_table import simple

simple(
    "gradient of a wrong shape assigned",
    "attempting to assign a gradient of size '(.*?)' to a tensor of size '(.*?)'",
    "puts a gradient of size {0} into the .grad of a tensor of size {1}.",
    "The two must have the same shape.",
    fixes=(("Give the gradient the tensor's shape, with reshape() or expand_as().", "none"),),
    show=True,
)
simple(
    "gradient of a wrong dtype assigned",
    "attempting to assign a gradient with dtype '(.*?)' to a tensor",
    "puts a gradient of type {0} into the .grad of a tensor of another type.",
    "The two must have the same dtype.",
    fixes=(("Convert the gradient: `.to(x.dtype)`.", "a second tensor of its size"),),
    show=True,
)
simple(
    "no tensor assigned as gradient",
    "assigned grad expected to be a Tensor or None but got grad of "
    r"type (\w+)",
    "puts a value of type {0} into .grad.",
    "That takes a tensor of the same shape, or None.",
    fixes=(("Assign a tensor: `torch.full_like(x, ...)`.", "a tensor of that shape"),),
    show=True,
)
simple(
    "its own gradient",
    r"can't assign Variable as its own grad",
    "makes a tensor its own gradient.",
    "A write to one would change the other.",
    fixes=(("Assign a copy: clone().", "a second tensor of its size"),),
)
simple(
    "grad_dtype",
    r"grad_dtype",
    "sets or reads grad_dtype where that is not possible.",
    "It belongs to leaves, before there is a gradient of another dtype.",
    fixes=(("Set it on the leaf, while its .grad is None.", "none"),),
    show=True,
)
simple(
    "flag that is no bool",
    r"requires_grad must be a bool|requires_grad_\(\): argument 'requires_grad'",
    "sets requires_grad to something other than True or False.",
    "Nothing else has a meaning there.",
    fixes=(("Give True or False.", "none"),),
    show=True,
)
simple(
    "attribute that can't be written",
    r"attribute '(\w+)' of 'torch._C.TensorBase' objects is not "
    "writable",
    "writes to .{0}, which only the engine sets.",
    "It says what was recorded.",
    fixes=(("Leave it; use detach(), requires_grad_() or a new tensor.", "none"),),
    show=True,
)
simple(
    "_grad_fn",
    r"_grad_fn can be only set to None|Deletion of _\w+ not allowed",
    "changes what the engine recorded.",
    "Only cutting it off is possible.",
    fixes=(("Use detach().", "none: it shares the memory"),),
    show=True,
)
simple(
    "copy of a computed tensor",
    r"Only Tensors created explicitly by the user \(graph leaves\) support "
    "the deepcopy|default implementation of __deepcopy__",
    "copies a tensor that an operation made, with deepcopy.",
    "A copy could not have the same place in the graph.",
    fixes=(("Copy the numbers: `x.detach().clone()`.", "a second tensor of its size; it has no history"),),
    show=True,
)
simple(
    "optimizer of a computed tensor",
    r"can't optimize a non-leaf Tensor",
    "gives an optimizer a tensor that an operation made.",
    "Passes leave gradients on leaves only, so it would never move.",
    fixes=(
        (
            "Make it a leaf: `w = (...).detach().requires_grad_()`.",
            "no gradient flows into what it was computed from",
        ),
    ),
    show=True,
)
simple(
    "optimizer without parameters",
    r"optimizer got an empty parameter list",
    "gives an optimizer nothing to move.",
    "A generator that was used up is empty, too.",
    fixes=(("Give it the leaves: `model.parameters()` or `[w, b]`.", "none"),),
)
simple(
    "hook of a computed tensor",
    r"post accumulate grad hooks cannot be registered on non-leaf",
    "waits for the .grad of a tensor that an operation made.",
    "Passes fill the .grad of leaves only.",
    fixes=(("Use register_hook(), which sees the gradient as it passes.", "none"),),
    show=True,
)
simple(
    "several numbers as one",
    r"a Tensor with (\d+) elements cannot be converted to Scalar|"
    r"only one element tensors can be converted|Boolean value of Tensor with .* is ambiguous|"
    r"only integer tensors of a single element can be converted",
    "takes a tensor with several numbers for a single one.",
    "Which of them is meant is not clear.",
    fixes=(("Make one of them: sum(), mean(), any(), all(), or an index.", "none"),),
    show=True,
)
simple(
    "a number has no backward",
    r"'(float|int)' object has no attribute '(backward|grad|grad_fn|detach)'",
    "uses .{1} of a Python number.",
    "Numbers from .item(), float() and math functions have no history.",
    fixes=(
        (
            "Leave out .item() or float() until after the pass.",
            "what the operations save stays in memory until then",
        ),
    ),
)

simple(
    "leaf moved into the graph",
    r"leaf variable has been moved into the graph interior",
    "reached a tensor that was a leaf when its graph was recorded, and is none any more.",
    "It has been written to in place since, so an operation made what it holds now: there is no leaf whose "
    ".grad could be filled.",
    fixes=(("Write into a new tensor, or go back before you write in place.", "a second tensor in memory"),),
)
