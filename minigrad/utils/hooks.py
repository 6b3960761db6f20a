"""``torch.utils.hooks``: the handle that registering a hook returns."""
from __future__ import annotations

import warnings

from ..autograd.hooks import RemovableHandle


def unserializable_hook(function):
    """Mark a hook that cannot be pickled with the tensor it hangs on."""
    function.__torch_unserializable__ = True
    return function


def warn_if_has_hooks(tensor):
    """Warn of hooks that are lost when the tensor is pickled."""
    for hook in (tensor._backward_hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can "
                "decorate the function with @torch.utils.hooks.unserializable_hook to suppress this warning",
                stacklevel=2)


__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]
