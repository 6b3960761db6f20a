"""Causes in custom Functions: what their forward and backward return, and what they keep."""

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
    "Only tensors have gradients.",
    "Return None at that place.", about="node")
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
    "calls a Function without a forward.",
    "It has nothing to compute.",
    "Write its `@staticmethod def forward(ctx, x)`.")
row("no setup_context", r"setup_context is not implemented",
    "calls a setup_context that was not written.",
    "It stores on ctx what backward needs, where forward has no argument ctx.",
    "Write it, or write `forward(ctx, x)` with ctx as the first argument.")
row("forward mode",
    "implement the jvp function|To use autograd.Function with vmap|forward-mode AD nor "
    "vmap|is_grads_batched=True|Batched grads are not supported|vmap|forward-mode "
    "differentiation|NestedIOFunction",
    "asks for forward mode or for batches, which this Function or engine does not have.",
    "A backward pass computes the gradients for one vector at a time.",
    ("Call grad() once for each vector.", "as many passes as vectors, with retain_graph=True between them"))
row("backward and vjp", r"Implementing both 'backward' and 'vjp'",
    "runs a Function that has both backward and vjp.",
    "They are two names of the same method.",
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
row("input returned and saved", r"An input that has been returned as-is as output is being saved",
    "runs a Function that returns an input unchanged, and saves it.",
    "The result needs a node of its own in the graph.",
    ("Return and save `x.view_as(x)`.", "none: a view shares the memory"))
row("view written, several returned",
    r"Pure view custom Function|modifies inplace an input that is a view of another",
    "runs a Function that writes to a view and returns several tensors.",
    "The new history of the base can follow one result only.",
    ("Pass it a copy: `x.clone()`.", "a second tensor of its size"))
row("saved_tensors asked twice", r"saved_tensors can only be accessed once",
    "reads ctx.saved_tensors a second time.",
    "This Function frees its saved tensors when they are read.",
    "Keep what the first access returned: `x, = ctx.saved_tensors`.")
row("arguments of forward",
    r"forward\(\) (?:got|missing|takes)|expected \d+ arguments, got \d+ instead|argument \d+ is not a V",
    "calls a function with other arguments than it takes.",
    "apply() passes all its arguments to forward, after ctx.",
    "Call it with the arguments of its forward.")
