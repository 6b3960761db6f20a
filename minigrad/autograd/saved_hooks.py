"""Blocks that change how nodes keep the tensors they save for the backward pass."""
from __future__ import annotations

import contextlib
import weakref

from ..state import local
from ..tensor import Tensor, wrap
from .grad_mode import no_grad

CHANGED_ITS_INPUT = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack "
    "hook cannot be modified by in-place operations as this can lead to unexpected side-effects. "
    "Please open an issue if you need to perform in-place operations on the input to a pack hook.")


class saved_tensors_hooks:
    """Within the block, keep `pack_hook(tensor)` in place of each tensor that a node saves.

    When a backward pass needs the tensor, `unpack_hook`, called with what was kept, must return it.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), torch.tensor):
    ...     y = (x * x).sum()       # the node of x * x keeps two lists
    >>> y.backward()
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


class allow_mutation_on_saved_tensors(saved_tensors_hooks):
    """Within the block, allow writes in place to tensors that nodes have saved.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
    ...     y = x * 2
    ...     z = (y * y).sum()       # the node of y * y keeps copies
    ...     y.zero_()
    ...     z.backward()            # an AssertionError outside of the block
    """

    entered = None                  # the block that the program is in

    def __init__(self):
        super().__init__(lambda tensor: tensor.detach().clone(), self.unpack)

    def unpack(self, copy):
        """Return the copy that was kept, inside this block only."""
        if allow_mutation_on_saved_tensors.entered is not self:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin "
                "which the graph was originally recorded.")
        return copy

    def __enter__(self):
        if allow_mutation_on_saved_tensors.entered is not None:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        super().__enter__()
        allow_mutation_on_saved_tensors.entered = self
        return self

    def __exit__(self, *error):
        super().__exit__(*error)
        allow_mutation_on_saved_tensors.entered = None


class SavedByHooks:
    """What a pack hook made of a tensor, and what puts the unpacked tensor back into the graph."""

    __slots__ = ("packed", "unpack_hook", "_output_nr", "requires_grad", "grad_fn", "accumulator",
                 "is_result", "last_pass", "last")

    _counter = _extra = None        # the version is the hooks' business

    def __init__(self, tensor, is_result, hooks=None, given=None):
        pack, self.unpack_hook = hooks or local.state.saved_tensors_hooks[-1]
        self.is_result, self._output_nr = is_result, tensor._output_nr
        self.requires_grad = is_result or tensor.requires_grad
        self.grad_fn = None if is_result else tensor.grad_fn
        is_leaf = self.requires_grad and self.grad_fn is None and not is_result
        self.accumulator = tensor._get_extra().accumulator if is_leaf else None
        self.last_pass = self.last = None
        given = tensor if given is None else given
        version = given._get_counter().value
        with no_grad():
            self.packed = pack(given)
        if given._counter.value != version:
            raise RuntimeError(CHANGED_ITS_INPUT)

    @property
    def _array(self):
        return self.unpacked()._array

    def unpacked(self):
        """Return what the hook unpacks; several formulas may need it, but one pass calls it once."""
        current = local.state.current_pass
        if current is None or self.last_pass is None or self.last_pass() is not current:
            with no_grad():
                self.last = self.unpack_hook(self.packed)
            if not isinstance(self.last, Tensor):
                raise TypeError("Output of saved tensor unpack_hook expected to be a Tensor but got "
                                f"result of type {type(self.last).__name__}")
            self.last_pass = None if current is None else weakref.ref(current)
        return self.last

    def with_history(self, node):
        """Return the unpacked tensor with the history that it had when it was packed."""
        tensor, grad_fn = self.unpacked(), node if self.is_result else self.grad_fn
        if grad_fn is None and not self.requires_grad and not tensor.requires_grad:
            return tensor
        again = wrap(tensor._array)
        again._counter = tensor._get_counter()
        again._requires_grad = grad_fn is not None or self.requires_grad
        again._node, again._output_nr = grad_fn, self._output_nr
        if self.accumulator is not None:
            again._get_extra().accumulator = self.accumulator   # gradients go where the leaf's go
        return again
