"""Checkpointing: keep nothing of a part of the computation; the backward pass computes it again.

The part's nodes save placeholders instead of tensors (saved_tensors_hooks).  The first placeholder
that a backward pass asks for runs the function again, and the tensors that this second run saves
are what the placeholders stand for, in the same order.
"""
from __future__ import annotations

import warnings
import weakref
from contextlib import suppress

from ..autograd.grad_mode import enable_grad
from ..autograd.graph import saved_tensors_hooks
from ..autograd.saved import check
from ..random.generator import get_rng_state, set_rng_state
from ..state import is_grad_enabled, local
from ..tensor import Tensor


class CheckpointError(RuntimeError):
    """The function did something else when it was run again."""


def checkpoint(function, *args, use_reentrant=None, preserve_rng_state=True, **kwargs):
    """Return ``function(*args, **kwargs)``, to be computed again in the backward pass.

        y = checkpoint(block, x, use_reentrant=False)

    It saves memory, for one more forward pass.  The second run draws the same random numbers as
    the first, unless ``preserve_rng_state=False``.  With ``use_reentrant=True``, which in PyTorch
    is an older way to do the same, no keywords can be passed on.

    Raises CheckpointError in the backward pass if the second run saved other tensors.
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. "
            "Starting in PyTorch 2.9, calling checkpoint without use_reentrant will raise an "
            "exception. use_reentrant=False is recommended, but if you need to preserve the "
            "current default behavior, you can pass use_reentrant=True. Refer to docs for more "
            "details on the differences between the two variants.", stacklevel=2)
    if use_reentrant is not False and kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if not is_grad_enabled():
        return function(*args, **kwargs)
    first_state = get_rng_state()
    versions = [(arg, arg._version) for arg in args if isinstance(arg, Tensor)]

    def run_again():
        for arg, version in versions:
            check(arg, version, None)       # raises RuntimeError if it was written in place since
        state = get_rng_state()
        if preserve_rng_state:
            set_rng_state(first_state)
        try:
            with enable_grad():
                function(*args, **kwargs)
        finally:
            if preserve_rng_state:
                set_rng_state(state)

    recomputation = Recomputation(run_again)
    with saved_tensors_hooks(recomputation.pack, recomputation.unpack):
        return function(*args, **kwargs)


class Placeholder:
    """Stands on a node in place of a saved tensor."""

    def __init__(self, tensor):
        self.metadata = metadata_of(tensor)
        self.tensors = weakref.WeakKeyDictionary()      # backward pass -> the tensor, until used


def metadata_of(tensor):
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


class EnoughSaved(Exception):
    """Ends the second run once it has saved all that the first saved."""


class Recomputation:
    """What links the placeholders of one checkpointed call to its second run."""

    def __init__(self, run):
        self.run = run
        self.placeholders = []              # weak references, in the order of saving
        self.passes = weakref.WeakSet()     # for which the function has been run again

    def pack(self, tensor):
        placeholder = Placeholder(tensor)
        self.placeholders.append(weakref.ref(placeholder))
        return placeholder

    def unpack(self, placeholder):
        current = local.state.current_pass or self      # self: a look from outside of any pass
        if current is self or current not in self.passes:
            self.passes.add(current)
            self.recompute(current)
        if current not in placeholder.tensors:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already "
                "unpacked once. If you are calling ctx.saved_tensors in backward, make sure to do "
                "so only once. Otherwise please open an issue with details on your use case.")
        return placeholder.tensors.pop(current)

    def recompute(self, current):
        """Run the function again and give each placeholder its tensor."""
        count, different = 0, ""

        def pack(tensor):
            nonlocal count, different
            placeholder = self.placeholders[count]()
            count += 1
            if placeholder is not None:
                placeholder.tensors[current] = tensor.detach()
                if metadata_of(tensor) != placeholder.metadata:
                    different += (f"tensor at position {count - 1}:\nsaved metadata: "
                                  f"{placeholder.metadata}\nrecomputed metadata: "
                                  f"{metadata_of(tensor)}\n")
            if count == len(self.placeholders):
                raise EnoughSaved
            return tensor

        with suppress(EnoughSaved), saved_tensors_hooks(pack, lambda tensor: tensor):
            self.run()
        if count < len(self.placeholders):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the "
                "original forward and recomputation.\nNumber of tensors saved during forward: "
                f"{len(self.placeholders)}\nNumber of tensors saved during recomputation: {count}.")
        if different:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have "
                f"different metadata than during the forward pass.\n{different}")
