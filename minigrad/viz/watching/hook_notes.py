"""Forward hooks that replace what a module returns by a value without its history.

While a module runs, its hooks are wrapped: only so is it known what each was given and returned.
"""
from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any

from ..graph.node_records import Line
from .calls import Call, own
from .cut_notes import HOOK, note_loss
from .forward_notes import Tensors


def observe(call: Call, module: Any, tensors_in: Tensors) -> None:
    """Wrap the forward hooks of a module until `call.unwrap` is called."""
    hooks, observed = own(module, "_forward_hooks"), {}
    for key, hook in list(hooks.items()):
        if not hasattr(hook, "_observed"):  # by another thread, or a call around this one
            observed[key] = hook
            hooks[key] = _wrapped(hook, call.path, tensors_in)

    def unwrap() -> None:
        call.unwrap = None
        for key, hook in observed.items():
            if key in hooks:  # it may have removed itself
                hooks[key] = hook

    call.unwrap = unwrap if observed else None


def _wrapped(hook: Callable[..., Any], path: str, tensors_in: Tensors) -> Callable[..., Any]:
    @wraps(hook)
    def observed(module: Any, *given: Any) -> Any:
        result = hook(module, *given)
        with suppress(Exception):  # watching never fails in the place of the program
            before = [one for one in tensors_in(given[-1]) if one.requires_grad]
            after = list(tensors_in(result))
            if before and after and not any(one.requires_grad for one in after):
                code = getattr(hook, "__code__", None)
                line = code and Line(code.co_filename, code.co_firstlineno, code.co_name)
                note_loss(before, f"{HOOK}{path}", line=line)
        return result

    observed._observed = True  # type: ignore[attr-defined]
    return observed
