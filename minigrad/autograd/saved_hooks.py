"""In what form nodes keep their tensors: your own, or one that outlives writes to the originals.

``saved_tensors_hooks``, ``save_on_cpu`` (which copies) and ``allow_mutation_on_saved_tensors``.
"""
from __future__ import annotations

import weakref

from ..state import local
from .grad_mode import ContextDecorator
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


