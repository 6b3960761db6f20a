"""Causes in functions of the program that the engine calls: custom Functions and hooks."""

from __future__ import annotations

from .explain_table import row

# --- what a backward returns

row("wrong number of gradients",
    r"function (\w+)Backward returned an incorrect number of gradients \(expected (\d+), got (\d+)\)",
    "ran the backward of your Function {0}, which returned {2} gradients for {1} arguments of its forward.",
    "It has to return one for each argument after ctx, and None for an argument that takes no gradient.",
    "Return a gradient or None for each argument of forward, in their order.", about="node")
row("gradient of a wrong shape",
    r"[Ff]unction (\w+) returned an invalid gradient at index (\d+) - got (\[.*?\]) but "
    r"expected shape compatible with (\[.*?\])",
    "received a gradient of shape {2} from {0} for its input {1}, which has the shape {3}.",
    "A gradient has the shape of the tensor that it belongs to.",
    "Return a gradient of shape {3}, for instance by summing over the other dimensions.", about="node")
row("gradient for what is no tensor",
    r"function (\w+)Backward returned a gradient different than None at position (\d+)",
    "received a gradient from your Function {0} for argument {1} of its forward, which was no tensor.",
    "Only tensors have gradients.", "Return None at that place.", about="node")
row("gradient that is no tensor", r"expected Variable or None \(got ([\w.]+)\)",
    "received a value of type {0} from the backward of {it}.",
    "A backward returns tensors, and None for arguments without a gradient.",
    "Return a tensor, computed with the tensor's own operations.", about="node")
row("no backward", r"You must implement either the backward or vjp method",
    "reached {it}, a Function without a backward.",
    "The engine can't know the gradient of a Function: its author has to write it.",
    "Write its `@staticmethod def backward(ctx, grad)`.",
    ("Give it tensors that require no gradient: `x.detach()`.", "no gradient flows through it"), about="node")
row("differentiated twice", "trying to differentiate twice a function that was marked with "
                            "@once_differentiable",
    "differentiates a gradient that a Function marked @once_differentiable computed.",
    "The operations in its backward are not recorded.",
    ("Write its backward with tensor operations, and remove the mark.",
     "the backward pass is recorded under create_graph=True"), about="node")

# --- what a forward does

row("saved what is no tensor",
    r"save_for_backward can only save variables, but argument (\d+) is of type (\w+)",
    "runs a forward that passes save_for_backward a value of type {1} as argument {0}.",
    "save_for_backward keeps tensors only, with their versions.",
    "Store the value on ctx: `ctx.factor = factor`.")
row("old style Function", r"Legacy autograd function with non-static forward",
    "makes an object of a Function.",
    "A Function is never instantiated: its two methods are static.",
    "Call `F.apply(x)`, with `@staticmethod` before forward and backward.")
row("no forward", r"You must implement the forward function",
    "calls a Function without a forward.", "It has nothing to compute.",
    "Write its `@staticmethod def forward(ctx, x)`.")
row("backward and vjp", r"Implementing both 'backward' and 'vjp'",
    "runs a Function that has both backward and vjp.", "They are two names of the same method.",
    "Keep one of them.")
row("dirty but not returned", r"Some elements marked as dirty during the forward method were not returned",
    "runs a forward that wrote to an input and did not return it.",
    "The new value of this input would have no history.",
    "Return every tensor that mark_dirty() names.", about="line")
row("mark of a wrong thing",
    "mark_dirty|mark_non_differentiable only accepts|autograd internal error: to_save|save_for_forward "
    "expects|set_materialize_grads received",
    "runs a forward that passes a method of ctx something that this method can't use.",
    "These methods take tensors of that forward; set_materialize_grads takes a bool.",
    "Pass it inputs or results of this forward.")
row("arguments of forward",
    r"forward\(\) (?:got|missing|takes)|expected \d+ arguments, got \d+ instead|argument \d+ is not a V",
    "calls a function with other arguments than it takes.",
    "apply() passes all its arguments to forward, after ctx.",
    "Call it with the arguments of its forward.")

# --- hooks: on tensors, on nodes, on saved tensors

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
row("pack hook wrote", r"pack hook is modifying its input in place",
    "called a pack hook that wrote to its input.", "The input is the program's own tensor.",
    ("Work on a copy: `x.clone()`.", "a copy of each saved tensor"))
row("unpack hook", r"Output of saved tensor unpack_hook expected to be a Tensor but got result of type (\w+)",
    "called an unpack hook that returned a value of type {0}.",
    "An unpack hook has to return the tensor that was packed.", "Return a tensor.")
row("hooks on a saved tensor",
    r"Calling register_hooks on a saved tensor|register_hooks?\(\): incompatible|\(\): incompatible func",
    "registers hooks on a saved tensor where that is not possible.",
    "A saved tensor takes one pair of hooks, before its value is freed.",
    "Register one pair of functions, before backward().")
row("saved tensor detached in place", r"Trying to use a saved tensor that has been detached in-place",
    "needs a saved tensor that detach_() removed from the graph.",
    "The gradient can't be recorded through it.",
    ("Use `x = x.detach()` for `x.detach_()`.", "none: it shares the memory"))
