"""Views: several tensors that look at one piece of memory.

A view remembers its base (the tensor that is itself no view), and the version of the memory for which
its own history holds.  When it is used after a write, its history is replaced: it is then taken again
from the base as the base is now.  The write itself is in ``inplace.py``.
"""
from __future__ import annotations

from functools import wraps

from ..errors import noted
from ..state import local
from ..tensor import Tensor, mark_inference
from .hooks import follow_new_history
from .node import short_name
from .strided import take_again

# How a view was made, where that restricts what may be done with it.
NO_GRAD, INFERENCE, MULTI_OUTPUT, CUSTOM_FUNCTION = "no_grad", "inference", "multi-output", "custom"

AMBIGUOUS = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by "
    "moving both the view and the inplace either both inside the {0} block (if you don't want the inplace "
    "to be tracked) or both outside (if you want the inplace to be tracked).")

WHY_REFUSED = {
    NO_GRAD: AMBIGUOUS.format("no_grad"),
    INFERENCE: AMBIGUOUS.format("inference_mode"),
    MULTI_OUTPUT:
        "This view is the output of a function that returns multiple views. Such functions do not allow "
        "the output views to be modified inplace. You should replace the inplace operation by an "
        "out-of-place one.",
    CUSTOM_FUNCTION:
        "This view was created inside a custom Function (or because an input was returned as-is) and the "
        "autograd logic to handle view+inplace would override the custom backward associated with the "
        "custom Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by "
        "cloning the output of the custom Function.",
}


class View:
    """Says of which tensor a tensor is a view, and for which version of the memory its grad_fn holds."""

    __slots__ = ("base", "origin", "version")

    def __init__(self, base, origin, version):
        self.base, self.origin, self.version = base, origin, version

    def refresh(self, view):
        """Give the view a new history, from the base as it is now, if its memory was written since."""
        if self.version != view._counter.value and (view._node is not None or self.base._requires_grad):
            self.check_rewrite(view, "and its base or another view of its base has been")
            view._requires_grad, view._node, view._output_nr = True, take_again(self.base, view._array), None
            self.version = view._counter.value
            follow_new_history(view)

    def check_rewrite(self, view, done="and is being"):
        """Refuse to give a new history to a view that was made in a special way."""
        origin, node = self.origin, view._node
        if origin is None:
            return
        in_mode = "in normal mode" if origin is INFERENCE else "with grad mode enabled"
        mode = INFERENCE if origin is INFERENCE else NO_GRAD
        output = node and f"Output {view.output_nr} of {short_name(node)} is a view"
        if node is None:
            what = f"A view was created in {mode} mode {done} modified inplace {in_mode}."
        elif origin in (NO_GRAD, INFERENCE):
            what = f"{output} of a view which was created in {mode} mode {done} modified inplace {in_mode}."
        else:
            what = f"{output} {done} modified inplace."
        raise noted(RuntimeError(f"{what} {WHY_REFUSED[origin]}"))


def shares_memory(operation):
    """Mark an operation whose result, or each of whose results, shares its input's memory."""
    @wraps(operation)
    def view_operation(self, *args):
        result = operation(self, *args)
        if type(result) is Tensor:
            make_view(result, self)
        elif type(result) is tuple:
            for one in result:
                make_view(one, self, MULTI_OUTPUT)
        return result
    return view_operation


def make_view(result, source, origin=None):
    """Record that `result` is a view of `source`."""
    result._counter = counter = source._get_counter()
    state = local.state
    if source._extra is not None and source._extra.inference:
        mark_inference(result)              # such tensors track neither views nor versions
        return
    if not state.recording:
        result._extra = None                # a view of a normal tensor is normal in inference mode too
        origin = INFERENCE if state.inference else NO_GRAD
    base, view = source, source._view
    if view is not None:
        base = view.base
        if origin is None or view.origin is INFERENCE:
            origin = view.origin
    result._view = View(base, origin, counter.value)
