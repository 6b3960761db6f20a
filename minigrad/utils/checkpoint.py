"""Checkpointing: keep nothing of a part of the computation; the backward pass computes it again.

The part's nodes save numbers instead of tensors (by saved_tensors_hooks): 0, 1, and so on.  When a
backward pass first needs one of the tensors, the function runs and saves them in order again.
"""
import warnings
from contextlib import suppress
from weakref import WeakKeyDictionary

from ..autograd.grad_mode import enable_grad
from ..autograd.graph import saved_tensors_hooks
from ..autograd.saved import keep, save_input, tensor_of
from ..random.generator import get_rng_state, set_rng_state
from ..state import is_grad_enabled, local
from ..tensor import Tensor


class CheckpointError(RuntimeError):
    """The function did something else when it was run again."""


class EnoughSaved(Exception):
    """Ends the second run once it has saved all that the first saved."""


def checkpoint(function, *args, use_reentrant=None, **kwargs):
    """Return ``function(*args, **kwargs)``, to be computed again in the backward pass.

        y = checkpoint(block, x, use_reentrant=False)

    It saves memory, for one more forward pass, which draws the same random numbers as the first.
    Raises CheckpointError in the backward pass if the second run saves other tensors.
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. "
            "use_reentrant=False is the only variant that minigrad has.", stacklevel=2)
    if use_reentrant is not False and kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if not is_grad_enabled():
        return function(*args, **kwargs)
    first_state = get_rng_state()

    def run_again():
        saved = (tensor_of(recomputation, i, in_formula=False) for i in range(len(args)))
        again = [next(saved) if isinstance(arg, Tensor) else arg for arg in args]
        state = get_rng_state()
        set_rng_state(first_state)
        try:
            with enable_grad():
                function(*again, **kwargs)
        finally:
            set_rng_state(state)

    recomputation = Recomputation(run_again)
    keep(recomputation, *[save_input(arg) for arg in args if isinstance(arg, Tensor)])
    with saved_tensors_hooks(recomputation.pack, recomputation.unpack):
        return function(*args, **kwargs)


class Recomputation:
    """Links the numbers that the nodes of one call saved to the tensors of its second run."""
    def __init__(self, run):
        self.run = run
        self.saved = []                         # the metadata of each tensor
        self.tensors = WeakKeyDictionary()      # backward pass -> {number: tensor, until used}

    def pack(self, tensor):
        self.saved.append(metadata_of(tensor))
        return len(self.saved) - 1

    def unpack(self, number):
        current = local.state.current_pass
        if current is None:                     # a look at a node's saved tensors, outside of any
            return self.recompute()[number]
        if current not in self.tensors:
            self.tensors[current] = self.recompute()
        if number not in self.tensors[current]:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already "
                "unpacked once. If you are calling ctx.saved_tensors in backward, make sure to do "
                "so only once.")
        return self.tensors[current].pop(number)

    def recompute(self):
        """Run the function again; return the tensors by their numbers."""
        tensors = {}

        def pack(tensor):
            tensors[len(tensors)] = tensor.detach()
            if len(tensors) == len(self.saved):
                raise EnoughSaved
            return tensor

        with suppress(EnoughSaved), saved_tensors_hooks(pack, lambda tensor: tensor):
            self.run()
        if len(tensors) < len(self.saved):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the "
                "original forward and recomputation.\nNumber of tensors saved during forward: "
                f"{len(self.saved)}\nNumber of tensors saved during recomputation: {len(tensors)}.")
        for number, saved in enumerate(self.saved):
            again = metadata_of(tensors[number])
            if again != saved:
                raise CheckpointError(
                    "torch.utils.checkpoint: Recomputed values for the following tensors have "
                    "different metadata than during the forward pass.\ntensor at position "
                    f"{number}:\nsaved metadata: {saved}\nrecomputed metadata: {again}")
        return tensors


def metadata_of(tensor):
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}
