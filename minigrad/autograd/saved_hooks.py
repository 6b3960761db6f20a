"""Blocks that change how nodes keep the tensors they save for the backward pass."""
import contextlib

from ..state import local
from ..tensor import Tensor, wrap
from .grad_mode import no_grad


class saved_tensors_hooks:
    """Within the block, save `pack_hook(tensor)` for each tensor; `unpack_hook` returns it later.

    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), torch.tensor):
    ...     y = x * x               # the node keeps two lists instead of two tensors
    """
    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        state = local.state
        if state.hooks_disabled:
            raise RuntimeError(state.hooks_disabled)
        state.saved_tensors_hooks = (*state.saved_tensors_hooks, (self.pack_hook, self.unpack_hook))

    def __exit__(self, *error):
        local.state.saved_tensors_hooks = local.state.saved_tensors_hooks[:-1]


class save_on_cpu(saved_tensors_hooks):
    """Keep a copy of each saved tensor: in PyTorch, in main memory."""
    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(lambda tensor: tensor.clone(), lambda copy: copy)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message):
    """Within the block, make it a RuntimeError to enter ``saved_tensors_hooks``."""
    state = local.state
    if state.saved_tensors_hooks:
        raise RuntimeError(error_message)
    outer, state.hooks_disabled = state.hooks_disabled, error_message
    try:
        yield
    finally:
        state.hooks_disabled = outer


@contextlib.contextmanager
def allow_mutation_on_saved_tensors():
    """Within the block, let nodes keep copies, so that what they saved may be written in place.

    >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
    ...     z = (y * y).sum()
    ...     y.zero_()
    ...     z.backward()            # an AssertionError outside of the block
    """
    def unpack(copy):
        if (copied, unpack) not in local.state.saved_tensors_hooks:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin "
                "which the graph was originally recorded.")
        return copy

    if copied in [pack for pack, _ in local.state.saved_tensors_hooks]:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    with saved_tensors_hooks(copied, unpack):
        yield


def copied(tensor):
    return tensor.detach().clone()


class SavedByHooks:
    """What a pack hook made of a tensor, and what puts the unpacked tensor back into the graph."""
    _counter = _extra = None        # no version is compared: only the hooks know what they kept
    unpacked_in = None              # the Freed that identifies the pass that unpacked it last

    def __init__(self, tensor, is_result, hooks=None):
        pack_hook, self.unpack_hook = hooks or local.state.saved_tensors_hooks[-1]
        self.is_result, self.output_nr = is_result, tensor._output_nr
        self.requires_grad = is_result or tensor.requires_grad
        self.grad_fn = None if is_result else tensor.grad_fn
        self.extra = tensor._extra                  # where a leaf has its AccumulateGrad
        given = tensor.detach() if hooks else tensor
        version = given._version
        with no_grad():
            self.packed = pack_hook(given)
        if given._version != version:
            raise RuntimeError(
                "A saved tensor pack hook is modifying its input in place. Tensors provided as "
                "input to pack hook cannot be modified by in-place operations as this can lead to "
                "unexpected side-effects. Please open an issue if you need to perform in-place "
                "operations on the input to a pack hook.")

    @property
    def _array(self):
        return self.unpacked()._array

    def unpacked(self):
        """Return what the hook unpacks; in one pass, call the hook once for all formulas."""
        current = local.state.current_pass
        if current is None or current.freed is not self.unpacked_in:
            with no_grad():
                self.tensor = self.unpack_hook(self.packed)
            if not isinstance(self.tensor, Tensor):
                raise TypeError("Output of saved tensor unpack_hook expected to be a Tensor but "
                                f"got result of type {type(self.tensor).__name__}")
            self.unpacked_in = current and current.freed
        return self.tensor

    def with_history(self, node):
        tensor = wrap(self.unpacked()._array)
        tensor._counter, tensor._extra = self.tensor._get_counter(), self.extra
        tensor._requires_grad, tensor._output_nr = self.requires_grad, self.output_nr
        tensor._node = node if self.is_result else self.grad_fn
        return tensor
