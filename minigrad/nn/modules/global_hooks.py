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


def set_full(full):
    """Backward hooks are all of the one kind or all of the other."""
    module = sys.modules[f"{__package__}.module"]
    if module._global_is_full_backward_hook is (not full):
        raise RuntimeError(ONLY_ONE)
    module._global_is_full_backward_hook = full


def register_module_forward_pre_hook(hook):
    """Call `hook(module, args)` before every module's forward."""
    return registered(of("forward_pre_hooks"), hook, in_calls)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """Call `hook(module, args, output)` after every module's forward."""
    return registered(of("forward_hooks"), hook, in_calls, *[of("forward_hooks_with_kwargs")] * with_kwargs,
                      *[of("forward_hooks_always_called")] * always_call)


def register_module_full_backward_pre_hook(hook):
    """Call `hook(module, grad_output)` when gradients of any module's outputs are there."""
    return registered(of("backward_pre_hooks"), hook, in_calls)


def register_module_full_backward_hook(hook):
    """Call `hook(module, grad_input, grad_output)` when gradients of any module's inputs are there."""
    set_full(True)
    return registered(of("backward_hooks"), hook, in_calls)


def register_module_backward_hook(hook):
    """Call `hook(module, grad_input, grad_output)` at the last node that any module recorded; deprecated."""
    set_full(False)
    return registered(of("backward_hooks"), hook, in_calls)


def register_module_buffer_registration_hook(hook):
    """Call `hook(module, name, buffer)` when a buffer is registered; it may return another."""
    return registered(new_buffer, hook)


def register_module_module_registration_hook(hook):
    """Call `hook(module, name, part)` when a part is registered; it may return another."""
    return registered(new_module, hook)


def register_module_parameter_registration_hook(hook):
    """Call `hook(module, name, parameter)` when a parameter is registered; it may return another."""
    return registered(new_parameter, hook)


def seen_by(hooks, module, name, value):
    """What is registered in place of `value` after the hooks have seen it."""
    for hook in hooks.values():
        replaced = hook(module, name, value)
        value = value if replaced is None else replaced
    return value


__all__ = [name for name in globals() if name.startswith("register_module_")]
