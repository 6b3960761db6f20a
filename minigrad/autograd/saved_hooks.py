"""In what form nodes keep their tensors: your own, or one that outlives writes to the originals.

``saved_tensors_hooks``, ``save_on_cpu`` (which copies) and ``allow_mutation_on_saved_tensors``.
"""
from __future__ import annotations

import weakref

from .grad_mode import ContextDecorator, local
from .saving import use_hooks


class saved_tensors_hooks:
    """Within the block, each tensor that a node saves goes through `pack_hook`, and back by `unpack_hook`."""

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        state = local.state
        if state.hooks_disabled:
            raise RuntimeError(state.hooks_disabled)
        use_hooks(state, (*state.saved_tensors_hooks, (self.pack_hook, self.unpack_hook)))

    def __exit__(self, *exc):
        state = local.state
        if not state.saved_tensors_hooks:
            raise RuntimeError("is_initialized && !tls.stack.empty() INTERNAL ASSERT FAILED: "
                               "saved_tensors_hooks was left more often than entered")
        use_hooks(state, state.saved_tensors_hooks[:-1])


class save_on_cpu(saved_tensors_hooks):
    """Keep saved tensors in main memory, where they are anyway: a copy is made, as PyTorch does."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(lambda tensor: tensor.clone(), lambda packed: packed)


class disable_saved_tensors_hooks(ContextDecorator):
    """Within the block, entering ``saved_tensors_hooks`` is the error `error_message`."""

    def __init__(self, error_message):
        self.error_message = error_message

    def __enter__(self):
        state = local.state
        if state.saved_tensors_hooks:
            raise RuntimeError(self.error_message)
        self.prev, state.hooks_disabled = state.hooks_disabled, self.error_message

    def __exit__(self, *exc):
        local.state.hooks_disabled = self.prev

    def clone(self):
        return type(self)(self.error_message)


class allow_mutation_on_saved_tensors:
    """Within the block, tensors that nodes have saved may be written: the backward pass, which must be inside
    the block too, still sees the old numbers.

    PyTorch makes a copy just before the write; here it is made when the tensor is saved.
    """

    active = None

    def __enter__(self):
        if allow_mutation_on_saved_tensors.active is not None:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        allow_mutation_on_saved_tensors.active = self.context = SavedWithCopies()
        self.hooks = saved_tensors_hooks(self.context.pack, self.context.unpack)
        self.hooks.__enter__()
        return self.context

    def __exit__(self, *exc):
        self.hooks.__exit__(*exc)
        self.context.clear()
        allow_mutation_on_saved_tensors.active = None


class SavedWithCopies:
    """The tensors that were saved in one such block, and their copies."""

    def __init__(self):
        self.by_tensor = weakref.WeakValueDictionary()      # (tensor's id, place, version) -> WithCopy

    def pack(self, tensor):
        key = id(tensor), tensor.data_ptr(), tensor._version
        if key not in self.by_tensor:
            self.by_tensor[key] = kept = WithCopy(tensor)
            return kept
        return self.by_tensor[key]

    def unpack(self, kept):
        if allow_mutation_on_saved_tensors.active is None or kept not in self.by_tensor.values():
            raise AssertionError("Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
                                 "in which the graph was originally recorded.")
        return kept.copy if kept.was_written() else kept.tensor

    @property
    def tid_to_weakhandle(self):
        return self.by_tensor

    @property
    def original(self):
        return {kept: kept.tensor for kept in self.by_tensor.values() if not kept.was_written()}

    @property
    def cloned(self):
        return {kept: kept.copy for kept in self.by_tensor.values() if kept.was_written()}

    def clear(self):
        """Forget all that was saved."""
        self.by_tensor.clear()


class WithCopy:
    """A tensor, and what it looked like when it was saved."""

    def __init__(self, tensor):
        self.tensor, self.copy, self.version = tensor, tensor.detach().clone(), tensor._version

    def was_written(self):
        return self.tensor._version != self.version
