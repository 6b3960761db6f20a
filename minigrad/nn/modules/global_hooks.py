"""Hooks on all modules at once, meant for looking into programs: they run before a module's own.

Each ``register_module_...`` returns a handle with ``remove()``.
"""
from __future__ import annotations

import sys
from collections import OrderedDict

from ...autograd.hooks import registered

# Those that concern calls are kept in nn.modules.module, as `_global_forward_hooks` and so on: programs put
# fresh dictionaries there to be rid of all hooks at once.
KINDS = ("forward_pre_hooks", "forward_hooks", "forward_hooks_with_kwargs", "forward_hooks_always_called",
         "backward_pre_hooks", "backward_hooks")
new_buffer, new_module, new_parameter = [OrderedDict() for _ in range(3)]

in_calls = OrderedDict()    # one entry for each hook that concerns a module's call, to ask in one look

ONLY_ONE = (
    "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use only "
    "one of them.")


def of(kind):
    """The hooks of one of the `KINDS`."""
    return getattr(sys.modules[f"{__package__}.module"], f"_global_{kind}")


def seen_by(hooks, module, name, value):
    """What is registered in place of `value` after the hooks have seen it."""
    for hook in hooks.values():
        replaced = hook(module, name, value)
        value = value if replaced is None else replaced
    return value


__all__ = [name for name in globals() if name.startswith("register_module_")]
