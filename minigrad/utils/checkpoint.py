"""Checkpointing: keep nothing of a part of the computation, and compute it again.

The part's nodes save numbers instead of tensors (by saved_tensors_hooks): 0, 1, and so
on.  When a backward pass first needs one of the tensors, the function runs again and
saves them in the same order.
"""
from contextlib import suppress
from weakref import WeakKeyDictionary

from ..autograd.grad_mode import enable_grad, no_grad
from ..autograd.graph import saved_tensors_hooks
from ..autograd.saved import save_input, save_values, saved_tensor
from ..errors import warn
from ..random.generator import get_rng_state, set_rng_state
from ..state import is_grad_enabled, local
from ..tensor import Tensor

IMPLICIT = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. "
    "use_reentrant=False is the only variant that minigrad has.")
NO_INPUT_REQUIRES_GRAD = (
    "None of the inputs have requires_grad=True. Gradients will be None")
NO_GRAD_FOR_REENTRANT = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or "
    "passing an `inputs` parameter to .backward(). To resolve this error, you can "
    "either set use_reentrant=False, or call .backward() without passing the `inputs` "
    "argument.")
UNPACKED_TWICE = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already "
    "unpacked once. If you are calling ctx.saved_tensors in backward, make sure to do "
    "so only once.")
OTHER_NUMBER = (
    "torch.utils.checkpoint: A different number of tensors was saved during the "
    "original forward and recomputation.\n"
    "Number of tensors saved during forward: {}\n"
    "Number of tensors saved during recomputation: {}.")
OTHER_METADATA = (
    "torch.utils.checkpoint: Recomputed values for the following tensors have "
    "different metadata than during the forward pass.\n"
    "tensor at position {}:\n"
    "saved metadata: {}\n"
    "recomputed metadata: {}")


class CheckpointError(RuntimeError):
    """The function did something else when it was run again."""


class EnoughSaved(Exception):
    """Ends the second run once it has saved all that the first saved."""


def checkpoint(function, *args, use_reentrant=None, **kwargs):
    """Return ``function(*args, **kwargs)``, to be computed again in the backward pass.

        y = checkpoint(block, x, use_reentrant=False)

    It saves memory, for one more forward pass, which draws the same random numbers as
    the first.  The backward pass raises CheckpointError if the second run saves other
    tensors.

    ``use_reentrant=True`` computes in the same way: minigrad has no
    CheckpointFunctionBackward.  But with it, as in PyTorch, ``grad()`` raises
    RuntimeError, and the result requires a gradient only if one of `args` does.
    """
    if use_reentrant is None:
        warn(IMPLICIT)
    if use_reentrant is not False and kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if not is_grad_enabled():
        return function(*args, **kwargs)
    if use_reentrant:
        tensors = [arg for arg in args if isinstance(arg, Tensor)]
        if not any([tensor.requires_grad for tensor in tensors]):
            warn(NO_INPUT_REQUIRES_GRAD)
            with no_grad():
                return function(*args)
    recomputation = Recomputation(function, args, kwargs, bool(use_reentrant))
    with saved_tensors_hooks(recomputation.pack, recomputation.unpack):
        return function(*args, **kwargs)


class Recomputation:
    """Links the numbers that the nodes of one call saved to tensors of a second run."""
    def __init__(self, function, args, kwargs, is_reentrant):
        self.function, self.kwargs = function, kwargs
        self.is_reentrant = is_reentrant
        # The tensors among the arguments are saved as a node saves them.
        self.args = [None if isinstance(arg, Tensor) else arg for arg in args]
        self.tensors_at = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
        save_values(self, [save_input(args[i]) for i in self.tensors_at])
        self.rng_state = get_rng_state()
        self.metadata = []                      # of each tensor that was saved
        self.tensors = WeakKeyDictionary()      # backward pass -> {number: tensor}

    def pack(self, tensor):
        self.metadata.append(metadata_of(tensor))
        return len(self.metadata) - 1

    def unpack(self, number):
        current = local.state.current_pass
        if current is None:         # a program looks at a node's saved tensors
            return self.recompute()[number]
        if self.is_reentrant and current.runners is not None:
            raise RuntimeError(NO_GRAD_FOR_REENTRANT)
        if current not in self.tensors:
            self.tensors[current] = self.recompute()
        if number not in self.tensors[current]:
            raise CheckpointError(UNPACKED_TWICE)
        return self.tensors[current].pop(number)

    def recompute(self):
        """Run the function again; return the tensors that it saves, by number."""
        tensors = {}

        def pack(tensor):
            tensors[len(tensors)] = tensor.detach()
            if len(tensors) == len(self.metadata):
                raise EnoughSaved
            return tensor

        with suppress(EnoughSaved), saved_tensors_hooks(pack, lambda tensor: tensor):
            self.run_again()
        if len(tensors) < len(self.metadata):
            raise CheckpointError(OTHER_NUMBER.format(len(self.metadata), len(tensors)))
        for number, saved in enumerate(self.metadata):
            again = metadata_of(tensors[number])
            if again != saved:
                raise CheckpointError(OTHER_METADATA.format(number, saved, again))
        return tensors

    def run_again(self):
        """Call the function with the same arguments and the same random numbers."""
        args = list(self.args)
        for number, i in enumerate(self.tensors_at):
            args[i] = saved_tensor(self, number, in_formula=False)
        state = get_rng_state()
        set_rng_state(self.rng_state)
        try:
            with enable_grad():
                self.function(*args, **self.kwargs)
        finally:
            set_rng_state(state)


def metadata_of(tensor):
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}
