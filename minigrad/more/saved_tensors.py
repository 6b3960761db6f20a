"""Blocks that change how saved tensors are kept, and writes that are not seen."""
from contextlib import contextmanager

from ..autograd.saved_hooks import saved_tensors_hooks
from ..state import local
from ..tensor import Tensor, bump_version

OUTSIDE = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin "
    "which the graph was originally recorded.")
NESTED = "allow_mutation_on_saved_tensors contexts cannot be nested"
NO_TENSOR = "increment_version expects each element of the iterable to be a tensor"


class save_on_cpu(saved_tensors_hooks):
    """Keep saved tensors in main memory, where every tensor of minigrad is.

    As in PyTorch, only ``pin_memory=True`` copies a tensor that is there. A write in
    place to a saved tensor raises no error.
    """

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(Tensor.clone if pin_memory else lambda tensor: tensor,
                         lambda tensor: tensor)


@contextmanager
def disable_saved_tensors_hooks(error_message):
    """Within the block, make it a RuntimeError to enter ``saved_tensors_hooks``."""
    state = local.state
    if state.saved_tensors_hooks:
        raise RuntimeError(error_message)
    outer = state.hooks_disabled
    state.hooks_disabled = error_message
    try:
        yield
    finally:
        state.hooks_disabled = outer


@contextmanager
def allow_mutation_on_saved_tensors():
    """Within the block, save copies, so that what was saved may be written in place.

    >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
    ...     z = (y * y).sum()
    ...     y.zero_()
    ...     z.backward()            # an AssertionError outside of the block
    """
    def unpack(copy):
        if (copy_to_keep, unpack) not in local.state.saved_tensors_hooks:
            raise AssertionError(OUTSIDE)
        return copy

    packs = [pack for pack, _ in local.state.saved_tensors_hooks]
    if copy_to_keep in packs:
        raise RuntimeError(NESTED)
    with saved_tensors_hooks(copy_to_keep, unpack):
        yield


def copy_to_keep(tensor):
    """Return a copy; `allow_mutation_on_saved_tensors` is recognized by this."""
    return tensor.clone()


def increment_version(tensors):
    """Count a write to one or several tensors that was not seen.

    A write through ``tensor.numpy()`` is one.
    """
    if isinstance(tensors, Tensor):
        tensors = [tensors]
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise RuntimeError(NO_TENSOR)
        if not tensor.is_inference():       # such a tensor has no version
            bump_version(tensor)
