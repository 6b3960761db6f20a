"""Checkpointing: keep nothing of a part of the computation; the backward pass computes it again.

The part's nodes save placeholders instead of tensors (saved_tensors_hooks).  The first placeholder
that a backward pass asks for runs the function again, and the tensors that this second run saves
are what the placeholders stand for, in the same order.
"""
from __future__ import annotations

import warnings
import weakref

from ..autograd.function import Function
from ..autograd.grad_mode import enable_grad, is_grad_enabled, no_grad
from ..autograd.gradients import backward
from ..autograd.graph import saved_tensors_hooks
from ..random.generator import get_rng_state, set_rng_state
from ..state import local
from ..tensor import Tensor

PASS_EXPLICITLY = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in "
    "PyTorch 2.9, calling checkpoint without use_reentrant will raise an exception. "
    "use_reentrant=False is recommended, but if you need to preserve the current default behavior, "
    "you can pass use_reentrant=True. Refer to docs for more details on the differences between the "
    "two variants.")


class CheckpointError(RuntimeError):
    """The function did something else when it was run again."""


def checkpoint(function, *args, use_reentrant=None, preserve_rng_state=True, **kwargs):
    """Return ``function(*args, **kwargs)``, to be computed again in the backward pass.

        y = checkpoint(block, x, use_reentrant=False)

    It saves memory, for one more forward pass.  The second run draws the same random numbers as
    the first, unless ``preserve_rng_state=False``.  `use_reentrant` chooses PyTorch's older way,
    which starts a backward pass inside the pass and takes no keywords.

    Raises CheckpointError in the backward pass if the second run saved other tensors.
    """
    if use_reentrant is None:
        warnings.warn(PASS_EXPLICITLY, stacklevel=2)
        use_reentrant = True
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    if not is_grad_enabled():
        return function(*args, **kwargs)
    rng_state = get_rng_state() if preserve_rng_state else None
    recomputation = Recomputation(lambda: run_again(function, args, kwargs, rng_state))
    with saved_tensors_hooks(recomputation.pack, recomputation.unpack):
        return function(*args, **kwargs)


def run_again(function, args, kwargs, rng_state):
    """Call the function, recorded, with the random numbers of its first run."""
    outer = get_rng_state()
    try:
        if rng_state is not None:
            set_rng_state(rng_state)
        with enable_grad():
            return function(*args, **kwargs)
    finally:
        if rng_state is not None:
            set_rng_state(outer)


class Placeholder:
    """Stands on a node in place of a saved tensor."""

    def __init__(self, number, tensor):
        self.number = number
        self.description = describe(tensor)
        self.tensors = weakref.WeakKeyDictionary()      # backward pass -> the tensor, until used


def describe(tensor):
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


class EnoughSaved(Exception):
    """Ends the second run once it has saved all that the first saved."""


class Recomputation:
    """What links the placeholders of one checkpointed call to its second run."""

    def __init__(self, run):
        self.run = run
        self.placeholders = []          # weak references, in the order in which they were saved
        self.passes = weakref.WeakSet()

    def pack(self, tensor):
        placeholder = Placeholder(len(self.placeholders), tensor)
        self.placeholders.append(weakref.ref(placeholder))
        return placeholder

    def unpack(self, placeholder):
        current = local.state.current_pass or self      # outside of a pass: for this look alone
        if current is self or current not in self.passes:
            self.passes.add(current)
            self.recompute(current)
        if current not in placeholder.tensors:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already "
                "unpacked once. If you are calling ctx.saved_tensors in backward, make sure to do so "
                "only once. Otherwise please open an issue with details on your use case.")
        return placeholder.tensors.pop(current)

    def recompute(self, current):
        """Run the function again and give each placeholder its tensor."""
        count = 0

        def pack(tensor):
            nonlocal count
            if count == len(self.placeholders):
                raise CheckpointError("torch.utils.checkpoint: trying to save more tensors during "
                                      "recomputation than during the original forward pass.")
            placeholder = self.placeholders[count]()
            if placeholder is not None:
                placeholder.tensors[current] = tensor.detach()
            count += 1
            if count == len(self.placeholders):
                raise EnoughSaved
            return tensor

        try:
            with saved_tensors_hooks(pack, lambda tensor: tensor):
                self.run()
        except EnoughSaved:
            pass
        if count != len(self.placeholders):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original "
                "forward and recomputation.\nNumber of tensors saved during forward: "
                f"{len(self.placeholders)}\nNumber of tensors saved during recomputation: {count}.")
        self.compare(current)

    def compare(self, current):
        """Raise CheckpointError if a tensor has another shape or dtype than in the first run."""
        different = ""
        for placeholder in filter(None, [reference() for reference in self.placeholders]):
            now = describe(placeholder.tensors[current])
            if now != placeholder.description:
                different += (f"tensor at position {placeholder.number}:\nsaved metadata: "
                              f"{placeholder.description}\nrecomputed metadata: {now}\n")
        if different:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different "
                f"metadata than during the forward pass.\n{different}")


class CheckpointFunction(Function):
    """The older way: its backward runs the function again and starts a pass through the result."""

    @staticmethod
    def forward(ctx, function, preserve_rng_state, *args):
        if not any(isinstance(arg, Tensor) and arg.requires_grad for arg in args):
            warnings.warn("None of the inputs have requires_grad=True. Gradients will be None",
                          stacklevel=2)
        ctx.function, ctx.args = function, [None if isinstance(a, Tensor) else a for a in args]
        ctx.rng_state = get_rng_state() if preserve_rng_state else None
        ctx.save_for_backward(*[arg for arg in args if isinstance(arg, Tensor)])
        ctx.places = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx, *grads):
        if local.state.current_pass is not None and local.state.current_pass.needed is not None:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or "
                "passing an `inputs` parameter to .backward(). To resolve this error, you can either "
                "set use_reentrant=False, or call .backward() without passing the `inputs` argument.")
        args = list(ctx.args)
        for i, tensor in zip(ctx.places, ctx.saved_tensors):
            args[i] = tensor.detach().requires_grad_(tensor.requires_grad)
        outputs = run_again(ctx.function, args, {}, ctx.rng_state)
        outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
        pairs = [(output, grad) for output, grad in zip(outputs, grads)
                 if isinstance(output, Tensor) and output.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not "
                               "necessary")
        backward([output for output, _ in pairs], [grad for _, grad in pairs])
        return None, None, *[arg.grad if isinstance(arg, Tensor) else None for arg in args]
