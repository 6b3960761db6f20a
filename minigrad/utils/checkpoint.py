"""Checkpointing: keep nothing of a part of the computation; the backward pass computes it again.

Two ways to do it:

    use_reentrant=False     what the part saves is replaced by placeholders (saved_tensors_hooks); the first
                            placeholder that a pass asks for runs the function again, and catches what it
                            saves this time
    use_reentrant=True      the part is a custom Function that ran without recording; its backward runs the
                            function again, recording, and starts a backward pass inside the pass
"""
from __future__ import annotations

import contextlib
import warnings
import weakref

from ..autograd.function import Function
from ..autograd.grad_mode import enable_grad, is_grad_enabled, no_grad
from ..autograd.gradients import backward
from ..autograd.graph import saved_tensors_hooks
from ..autograd.saving import keep_input
from ..random.generator import get_rng_state, set_rng_state
from ..state import local
from ..tensor import Tensor

PASS_EXPLICITLY = (
    "the use_reentrant parameter should be passed explicitly. {when} use_reentrant=False is recommended, but "
    "if you need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs "
    "for more details on the differences between the two variants.")

NOT_FOR_GRAD = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
    "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
    ".backward() without passing the `inputs` argument.")

# The hyphen in "checkpoint‑debug" is the one that PyTorch's message has.
DEBUG_TIP = (
    "\nTip: To see a more detailed error message, either pass `debug=True` "
    "to\n`torch.utils.checkpoint.checkpoint(...)` or wrap the code block\nwith `with "
    "torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to\nenable checkpoint\u2011debug mode "
    "globally.\n\nIf this error occurs under torch.compile with automatic_dynamic_shapes enabled,\nit may be "
    "because the recomputation selected a different compiled graph than the\nforward pass (e.g., a dynamic "
    "graph instead of the original static graph).\nTo fix this, either:\n  - Use "
    "torch._dynamo.mark_dynamic() to explicitly mark varying dimensions as\n    dynamic upfront, avoiding "
    "the static-to-dynamic transition.\n  - Call torch._C._dynamo.eval_frame._set_lru_cache(False) to "
    "disable LRU cache\n    reordering, which can change which graph is checked first between forward\n    "
    "and recompute.\nSee https://github.com/pytorch/pytorch/issues/166926 for more details and\nworkaround "
    "examples.\n")

SUPPRESSED = (
    "torch.utils.checkpoint: the forward context provided by context_fn suppressed an exception raised "
    "during the checkpointed forward. This is not supported because checkpoint cannot return a value for a "
    "failed forward.")


class CheckpointError(RuntimeError):
    """The function did not do the same thing when it was run again."""


class settings:
    """What the two ``set_checkpoint_...`` contexts switch; None: as the call of `checkpoint` says."""
    early_stop = None
    debug = None


def noop_context_fn():
    return contextlib.nullcontext(), contextlib.nullcontext()


def checkpoint(function, *args, use_reentrant=None, context_fn=noop_context_fn, determinism_check="default",
               debug=False, early_stop=True, **kwargs):
    """``function(*args, **kwargs)``, to be computed again in the backward pass instead of kept.

    Args:
        use_reentrant: which of the two ways (see the head of this file); say so, the default will go.
        preserve_rng_state: the second run draws the same random numbers as the first (default True).
        context_fn: returns two contexts, one for each run (not with use_reentrant=True).
        determinism_check: "default" compares shapes and dtypes of what both runs saved; "none" does not.
        early_stop: end the second run as soon as all has been saved again.
        debug: accepted; PyTorch lists the operations of both runs when they differ.

    Raises:
        CheckpointError: in the backward pass, when the second run saved other tensors than the first.
        ValueError: an argument that does not go with `use_reentrant`.
    """
    if use_reentrant is None:
        warnings.warn("torch.utils.checkpoint: " + PASS_EXPLICITLY.format(
            when="Starting in PyTorch 2.9, calling checkpoint without use_reentrant will raise an "
                 "exception."),
            stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        refuse_keywords(kwargs)
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    if context_fn is not noop_context_fn and (debug if settings.debug is None else settings.debug):
        raise ValueError("debug=True is incompatible with non-default context_fn")
    if determinism_check not in DESCRIBE:
        raise ValueError(f"determinism_check should be one of {list(DESCRIBE)}, but got {determinism_check}")
    first_context, second_context = context_fn()
    again = Again(function, kwargs, preserve, second_context)
    if not is_grad_enabled():
        return function(*args, **kwargs)
    run = Run(again, args, DESCRIBE[determinism_check],
              early_stop if settings.early_stop is None else settings.early_stop)
    with run.placeholders(), first_context:
        result = function(*args, **kwargs)
        run.first_run_is_over = True
        return result
    raise RuntimeError(SUPPRESSED)


def refuse_keywords(kwargs):
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))


# --- placeholders: use_reentrant=False ----------------------------------------------------------------------


DESCRIBE = {'none': lambda tensor: None}


OVERLAP = (
    "Performing two backward calls that overlap (i.e. require the same saved activation in order to compute "
    "gradients) is not allowed while under the torch.utils.checkpoint.GraphExecGroup context. ")


class Key:
    """Holds a recomputed tensor alive until its node has used it."""


class Stop(Exception):
    """Ends the second run when it has saved all that the first had."""


class Outside:
    """In place of a pass when a saved tensor is looked at outside of any: each look recomputes."""


# --- a pass inside the pass: use_reentrant=True -------------------------------------------------------------

class CheckpointFunction(Function):
    """Runs a function unrecorded; its backward runs it again, recorded, and goes back through that."""

    @staticmethod
    def forward(ctx, function, preserve_rng_state, *args):
        check_backward_validity(args)
        ctx.function = function
        ctx.rng_state = get_rng_state() if preserve_rng_state else None
        ctx.others = [None if isinstance(arg, Tensor) else arg for arg in args]
        ctx.places = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
        ctx.save_for_backward(*[args[i] for i in ctx.places])
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx, *grads):
        if local.state.current_pass is not None and local.state.current_pass.needed is not None:
            raise RuntimeError(NOT_FOR_GRAD)
        args = list(ctx.others)
        for i, tensor in zip(ctx.places, ctx.saved_tensors):
            args[i] = tensor
        args = detach_variable(tuple(args))
        with fork_rng(enabled=ctx.rng_state is not None), enable_grad():
            if ctx.rng_state is not None:
                set_rng_state(ctx.rng_state)
            outputs = ctx.function(*args)
        outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
        pairs = [(output, grad) for output, grad in zip(outputs, grads)
                 if isinstance(output, Tensor) and output.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([output for output, _ in pairs], [grad for _, grad in pairs])
        return None, None, *[arg.grad if isinstance(arg, Tensor) else None for arg in args]


def check_backward_validity(inputs):
    """Warn if no input takes a gradient, for then the reentrant way gives none to parameters either."""
    if not any([isinstance(one, Tensor) and one.requires_grad for one in inputs]):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


