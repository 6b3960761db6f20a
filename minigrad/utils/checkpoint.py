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
from ..autograd.grad_mode import enable_grad, is_grad_enabled, local, no_grad
from ..autograd.gradients import backward
from ..autograd.graph import saved_tensors_hooks
from ..autograd.saving import keep_input
from ..generator import fork_rng, get_rng_state, set_rng_state
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


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Run modules one after the other, in `segments` checkpointed parts; the last part is run as it is."""
    if use_reentrant is None:
        warnings.warn("torch.utils.checkpoint.checkpoint_sequential: " + PASS_EXPLICITLY.format(
            when="In version 2.9 we will raise an exception if use_reentrant is not passed."), stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    refuse_keywords(kwargs)
    if hasattr(functions, "children"):
        functions = list(functions.children())

    def part(start, end):
        def forward(value):
            for function in functions[start:end]:
                value = function(value)
            return value
        return forward

    size = len(functions) // segments
    last = size * (segments - 1)
    for start in range(0, last, size):
        input = checkpoint(part(start, start + size), input, use_reentrant=use_reentrant,
                           preserve_rng_state=preserve)
    return part(last, len(functions))(input)


def refuse_keywords(kwargs):
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool):
    """Within the block, checkpoints made stop their second run early, or not, whatever they were told."""
    outer, settings.early_stop = settings.early_stop, enable
    try:
        yield
    finally:
        settings.early_stop = outer


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled):
    """Within the block, ``debug`` is as given here."""
    outer, settings.debug = settings.debug, enabled
    try:
        yield
    finally:
        settings.debug = outer


# --- placeholders: use_reentrant=False ----------------------------------------------------------------------

def description(tensor):
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


DESCRIBE = {"default": description, "none": lambda tensor: None}


class Again:
    """How to run the function a second time: same random numbers, its own context."""

    def __init__(self, function, kwargs, preserve_rng_state, context):
        self.function, self.kwargs, self.context = function, kwargs, context
        self.rng_state = get_rng_state() if preserve_rng_state else None

    def __call__(self, *args):
        with fork_rng(enabled=self.rng_state is not None):
            if self.rng_state is not None:
                set_rng_state(self.rng_state)
            with self.context:
                self.function(*args, **self.kwargs)


class GraphExecGroup:
    """Within the block, backward passes bring back once for all of them what a checkpoint left out.

    They must not need the same saved tensors.
    """

    current = None

    def __enter__(self):
        if GraphExecGroup.current is not None:
            raise RuntimeError("GraphExecGroup contexts cannot be nested. Already inside group "
                               f"{GraphExecGroup.current}")
        GraphExecGroup.current = self
        return self

    def __exit__(self, *exc):
        GraphExecGroup.current = None


OVERLAP = (
    "Performing two backward calls that overlap (i.e. require the same saved activation in order to compute "
    "gradients) is not allowed while under the torch.utils.checkpoint.GraphExecGroup context. ")


class Placeholder:
    """Stands on a node in place of a tensor; each backward pass gives it a key to what was recomputed."""

    def __init__(self):
        self.keys = weakref.WeakKeyDictionary()     # pass -> key, or None once it has been used


class Key:
    """Holds a recomputed tensor alive until its node has used it."""


class Stop(Exception):
    """Ends the second run when it has saved all that the first had."""


class Run:
    """The checkpointed call: what its nodes hold instead of tensors, and what a second run brought back."""

    def __init__(self, again, args, describe, early_stop):
        self.again, self.describe, self.early_stop = again, describe, early_stop
        self.args = [keep_input(arg) if isinstance(arg, Tensor) else arg for arg in args]
        self.are_tensors = [isinstance(arg, Tensor) for arg in args]
        self.first_run_is_over = False
        self.used_before_the_end = False
        self.handed_out = []                            # weak references to the placeholders, in order
        self.described = []
        self.recomputed = weakref.WeakKeyDictionary()   # pass -> {key: tensor}
        self.saved_again = weakref.WeakKeyDictionary()  # pass -> how many tensors the second run saved

    def placeholders(self):
        """The hooks for the first run."""
        def pack(tensor):
            placeholder = Placeholder()
            self.handed_out.append(weakref.ref(placeholder))
            with no_grad():
                self.described.append(self.describe(tensor))
            return placeholder

        return saved_tensors_hooks(pack, self.value_of)

    def value_of(self, placeholder):
        """The tensor of a placeholder; the first that a pass asks for brings back all of them."""
        current = GraphExecGroup.current or local.state.current_pass or Outside()
        if current not in self.recomputed:
            self.run_again(current)
        key = placeholder.keys[current]
        if key is None:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked "
                f"once. {OVERLAP if GraphExecGroup.current else ''}If you are calling ctx.saved_tensors in "
                "backward, make sure to do so only once. "
                "Otherwise please open an issue with details on your use case.")
        placeholder.keys[current] = None
        return self.recomputed[current][key]

    def run_again(self, current):
        args = [arg.unpack(None) if is_tensor else arg for arg, is_tensor in zip(self.args, self.are_tensors)]
        found = weakref.WeakKeyDictionary()
        self.saved_again[current] = 0
        try:
            with self.catching(current, found), enable_grad():
                self.again(*args)
        except Stop:
            pass
        self.recomputed[current] = found
        self.check_same(current, found)

    def catching(self, current, found):
        """The hooks for the second run."""
        def pack(tensor):
            tensor = tensor.detach() if tensor.requires_grad else tensor
            number = self.saved_again[current]
            self.saved_again[current] += 1
            if number >= len(self.handed_out):
                if not self.first_run_is_over:
                    self.used_before_the_end = True     # a backward pass inside the function itself
                    return tensor
                raise CheckpointError("torch.utils.checkpoint: trying to save more tensors during "
                                      f"recomputation than during the original forward pass.\n{DEBUG_TIP}")
            placeholder = self.handed_out[number]()
            if placeholder is not None:
                key = placeholder.keys[current] = Key()
                found[key] = tensor
            if self.early_stop and number + 1 == len(self.handed_out):
                raise Stop
            return tensor

        return saved_tensors_hooks(pack, lambda tensor: tensor)

    def check_same(self, current, found):
        """Both runs must have saved as many tensors, of the same shapes and dtypes."""
        if self.used_before_the_end:
            return
        if len(self.handed_out) != self.saved_again[current]:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original "
                "forward and recomputation.\nNumber of tensors saved during forward: "
                f"{len(self.handed_out)}\nNumber of tensors saved during recomputation: "
                f"{self.saved_again[current]}.\n{DEBUG_TIP}")
        different = ""
        for number, (reference, before) in enumerate(zip(self.handed_out, self.described)):
            placeholder = reference()
            if placeholder is None:
                continue
            now = self.describe(found[placeholder.keys[current]])
            if before != now:
                different += (f"tensor at position {number}:\nsaved metadata: {before}\nrecomputed metadata: "
                              f"{now}\n")
        if different:
            raise CheckpointError("torch.utils.checkpoint: Recomputed values for the following tensors have "
                                  "different metadata than during the forward "
                                  f"pass.\n{different}.\n{DEBUG_TIP}")


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


def detach_variable(inputs):
    """The inputs with each tensor as a leaf of its own, cut off from its history."""
    if not isinstance(inputs, tuple):
        raise RuntimeError("Only tuple of tensors is supported. Got Unsupported input type: "
                           f"{type(inputs).__name__}")
    return tuple([one.detach().requires_grad_(one.requires_grad) if isinstance(one, Tensor) else one
                  for one in inputs])
