"""Saved tensors in another form: what ``saved_tensors_hooks`` made of them, until the backward pass asks."""
from __future__ import annotations

import weakref

from ..state import local
from ..tensor import Tensor, wrap
from .grad_mode import no_grad

CHANGED_ITS_INPUT = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot "
    "be modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if "
    "you need to perform in-place operations on the input to a pack hook.")


class SavedByHooks:
    """What a pack hook made of a tensor, and what is needed to put the unpacked one back into the graph."""

    __slots__ = ("packed", "unpack_hook", "output_nr", "requires_grad", "grad_fn", "accumulator", "is_result",
                 "last_pass", "last")

    _counter = _extra = None            # the version is the hooks' business

    def __init__(self, tensor, is_result, hooks=None, given=None):
        pack, self.unpack_hook = hooks or local.state.saved_tensors_hooks[-1]
        self.is_result = is_result
        self.requires_grad = is_result or tensor.requires_grad
        self.grad_fn = None if is_result else tensor.grad_fn
        self.output_nr = tensor._output_nr
        is_leaf = self.requires_grad and self.grad_fn is None and not is_result
        self.accumulator = tensor._get_extra().accumulator if is_leaf else None
        self.last_pass = self.last = None
        given = tensor if given is None else given
        counter = given._get_counter()
        version = counter.value
        with no_grad():
            self.packed = pack(given)
        if counter.value != version:
            raise RuntimeError(CHANGED_ITS_INPUT)

    @property
    def _array(self):
        return self.once_for_each_pass()._array

    def unpack(self, node, looking=False):
        """Return the tensor with the history that it had when it was packed."""
        tensor = self.call_hook() if looking else self.once_for_each_pass()
        grad_fn = node if self.is_result else self.grad_fn
        if grad_fn is None and not self.requires_grad and not tensor.requires_grad:
            return tensor
        again = wrap(tensor._array)
        again._counter = tensor._get_counter()
        again._requires_grad = grad_fn is not None or self.requires_grad
        again._node, again._output_nr = grad_fn, self.output_nr
        if self.accumulator is not None:
            again._get_extra().accumulator = self.accumulator      # its gradient goes where the leaf's goes
        return again

    def once_for_each_pass(self):
        """Return what the hook unpacks; several formulas of a node may need it, but it is called once."""
        current = local.state.current_pass
        if current is None or self.last_pass is None or self.last_pass() is not current:
            self.last = self.call_hook()
            self.last_pass = None if current is None else weakref.ref(current)
        return self.last

    def call_hook(self):
        with no_grad():
            tensor = self.unpack_hook(self.packed)
        if not isinstance(tensor, Tensor):
            raise TypeError("Output of saved tensor unpack_hook expected to be a Tensor but got result of "
                            f"type {type(tensor).__name__}")
        return tensor
