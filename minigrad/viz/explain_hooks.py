"""Causes in hooks: on tensors, on nodes, on saved tensors."""

from __future__ import annotations

from .explain_table import row

REPLACES = "What a hook returns replaces the gradient, so it must have the same type, shape and dtype."
NOTHING = "Return nothing, and the gradient stays as it is."

for kind, pattern, returned, fix in (
    ("type", r"expected Variable, but hook returned '(.*?)'",
     "called a hook, which returned a value of type {0}; a hook returns a tensor or None.",
     "Return a tensor, or nothing."),
    ("size", r"hook '(.*?)' has changed the size of value",
     "called the hook {0}, which returned a gradient of another shape.",
     "Return a gradient of the shape that the hook received."),
    ("dtype", r"hook '(.*?)' has changed the type of value \(was (\S+) got (\S+)\)",
     "called the hook {0}, which returned a gradient of type {2} for one of type {1}.",
     "Return the type that the hook received: `.to(grad.dtype)`."),
    ("count", r"hook '(.*?)' has returned an incorrect number of values \(got (\d+), but expected (\d+)\)",
     "called the hook {0}, which returned {1} gradients; it received {2}.",
     "Return as many gradients as the hook received."),
    ("tuple", r"expected tuple, but hook returned '(.*?)'",
     "called a hook on a node, which returned a value of type {0}; such a hook returns a tuple or None.",
     "Return a tuple of gradients, or nothing."),
):
    row(f"hook: {kind}", pattern, returned, REPLACES, fix, NOTHING, about="node")

row("hook after the leaf's addition", r"post accumulate grad hooks should return None",
    "called a hook that returned something after .grad was filled.",
    "At that point there is no gradient left to replace.",
    "Change `leaf.grad` inside the hook, and return nothing.")
row("hook in place of None", r"can't replace a None gradient with a non-None value",
    "called a hook that returned a gradient, and the gradient it received was None.",
    "None means that no gradient flows on this edge.",
    "Return None where the hook received None.")
row("pack hook wrote", r"pack hook is modifying its input in place",
    "called a pack hook that wrote to its input.",
    "The input is the program's own tensor.",
    ("Work on a copy: `x.clone()`.", "a copy of each saved tensor"))
row("unpack hook", r"Output of saved tensor unpack_hook expected to be a Tensor but got result of type (\w+)",
    "called an unpack hook that returned a value of type {0}.",
    "An unpack hook has to return the tensor that was packed.",
    "Return a tensor.")
row("hooks on a saved tensor",
    r"Calling register_hooks on a saved tensor|register_hooks?\(\): incompatible|\(\): incompatible func",
    "registers hooks on a saved tensor where that is not possible.",
    "A saved tensor takes one pair of hooks, before its value is freed.",
    "Register one pair of functions, before backward().")
row("saved tensor detached in place", r"Trying to use a saved tensor that has been detached in-place",
    "needs a saved tensor that detach_() removed from the graph.",
    "The gradient can't be recorded through it.",
    ("Use `x = x.detach()` for `x.detach_()`.", "none: it shares the memory"))
row("saved-tensor contexts",
    r"allow_mutation_on_saved_tensors|Trying to create a SavedTensor|saved_tensors_hooks was left more often",
    "uses a context of saved tensors out of order.",
    "Forward and backward pass have to run in the same block, and the blocks must not be nested.",
    "Put both into one `with` block.")
