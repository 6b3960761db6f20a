"""Causes in custom Functions and hooks that the message alone explains: marks, saved tensors, old forms."""

from __future__ import annotations

from .explain_table import simple

ANYTHING = "none"

simple(
    "hook after the leaf's addition",
    r"post accumulate grad hooks should return None",
    "called a hook that returned something after .grad was filled.",
    "There is nothing left to replace.",
    fixes=(("Change `leaf.grad` inside the hook, and return nothing.", ANYTHING),),
)
simple(
    "hook in place of None",
    r"can't replace a None gradient with a non-None value",
    "called a hook that returned a gradient where none had arrived.",
    "None says that nothing flows there.",
    fixes=(("Return None where the gradient that came in is None.", ANYTHING),),
)
simple(
    "saved what is no tensor",
    r"save_for_backward can only save variables, but argument (\d+) is of type "
    r"(\w+)",
    "runs a forward that gives save_for_backward a value of type {1} as argument {0}.",
    "It keeps tensors, and watches their versions.",
    fixes=(("Keep it on ctx: `ctx.factor = factor`.", ANYTHING),),
)
simple(
    "old style Function",
    r"Legacy autograd function with non-static forward",
    "calls a Function as an object.",
    "Functions have no objects.",
    fixes=(("Call `F.apply(x)`, with `@staticmethod` before forward and backward.", ANYTHING),),
)
simple(
    "no forward",
    r"You must implement the forward function",
    "calls a Function without a forward.",
    "It has nothing to compute.",
    fixes=(("Write its `@staticmethod def forward(ctx, x)`.", ANYTHING),),
)
simple(
    "no setup_context",
    r"setup_context is not implemented",
    "calls a setup_context that was not written.",
    "It fills ctx where forward takes none.",
    fixes=(("Write it, or give forward a ctx.", ANYTHING),),
)
simple(
    "forward mode",
    "implement the jvp function|To use autograd.Function with vmap|forward-mode AD nor "
    "vmap|"
    r"is_grads_batched=True|Batched grads are not supported|"
    r"vmap|forward-mode differentiation|NestedIOFunction",
    "asks for forward mode or batches, which this Function or engine does not have.",
    "A backward pass goes through one gradient at a time.",
    fixes=(
        (
            "Call grad() once for each vector.",
            "as many passes as vectors, with retain_graph=True between them",
        ),
    ),
)
simple(
    "backward and vjp",
    r"Implementing both 'backward' and 'vjp'",
    "runs a Function that has both backward and vjp.",
    "They are two names of one thing.",
    fixes=(("Keep one of them.", ANYTHING),),
)
simple(
    "dirty but not returned",
    r"Some elements marked as dirty during the forward method were not returned",
    "runs a forward that wrote to an input and did not return it.",
    "Its new value would have no history.",
    fixes=(("Return every tensor that mark_dirty() names.", ANYTHING),),
    show=True,
)
simple(
    "mark of a wrong thing",
    "mark_dirty|mark_non_differentiable only accepts|autograd internal error: to_save|"
    r"save_for_forward expects|set_materialize_grads received",
    "runs a forward that gives ctx something it can't use.",
    "These methods take tensors of that forward; set_materialize_grads takes a bool.",
    fixes=(("Give it inputs or results of this forward.", ANYTHING),),
)
simple(
    "input returned and saved",
    r"An input that has been returned as-is as output is being saved",
    "runs a Function that returns an input as it is, and saves it.",
    "The result needs a place of its own in the graph.",
    fixes=(("Return and save `x.view_as(x)`.", "none: a view shares the memory"),),
)
simple(
    "view written, several returned",
    r"Pure view custom Function|modifies inplace an input that is a view of another Tensor",
    "runs a Function that writes to a view and returns several tensors.",
    "The base's new history can follow one result only.",
    fixes=(("Give it a copy: `x.clone()`.", "a second tensor of its size"),),
)
simple(
    "saved_tensors asked twice",
    r"saved_tensors can only be accessed once",
    "asks for ctx.saved_tensors a second time.",
    "This Function lets go of them at the first time.",
    fixes=(("Keep what the first access gave: `x, = ctx.saved_tensors`.", ANYTHING),),
)
simple(
    "arguments of forward",
    r"forward\(\) (?:got|missing|takes)|expected \d+ arguments, got \d+ instead|"
    r"argument \d+ is not a Variable",
    "gives a function other arguments than it takes.",
    "apply() passes everything on to forward, after ctx.",
    fixes=(("Give it the arguments of its forward.", ANYTHING),),
)
simple(
    "pack hook wrote",
    r"pack hook is modifying its input in place",
    "called a pack hook that wrote to its input.",
    "The input is the program's own tensor.",
    fixes=(("Work on a copy: `x.clone()`.", "a copy of each saved tensor"),),
)
simple(
    "unpack hook",
    "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
    r"(\w+)",
    "called an unpack hook that returned a value of type {0}.",
    "It has to return the tensor that was packed.",
    fixes=(("Return a tensor.", ANYTHING),),
)
simple(
    "hooks on a saved tensor",
    r"Calling register_hooks on a saved tensor|register_hooks?\(\): "
    "incompatible|"
    r"\(\): incompatible function arguments",
    "puts hooks on a saved tensor where that is not possible.",
    "There is one pair for each, put on before the value is freed.",
    fixes=(("Register one pair of functions, before backward().", ANYTHING),),
)
simple(
    "saved tensor detached in place",
    r"Trying to use a saved tensor that has been detached in-place",
    "needs a saved tensor that was cut from its history by detach_().",
    "The gradient can't be recorded through it.",
    fixes=(("Use `x = x.detach()` for `x.detach_()`.", "none: it shares the memory"),),
)
simple(
    "saved-tensor contexts",
    r"allow_mutation_on_saved_tensors|Trying to create a SavedTensor|saved_tensors_hooks was left more often",
    "uses a context of saved tensors out of order.",
    "Forward and backward have to lie in the same block, not nested.",
    fixes=(("Put both into one `with` block.", ANYTHING),),
)
