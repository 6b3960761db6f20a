"""Blocks that change how nodes keep the tensors they save for the backward pass."""
from __future__ import annotations

import contextlib

from ..state import local


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
