"""Views: several tensors that look at one piece of memory, and know of it.

A view remembers its base, the tensor that is no view itself, and the version of the memory for which its own
history holds.  When it is used after a write, it is taken again from the base as that is now; writing itself
is in ``inplace.py``.
"""
from __future__ import annotations

from functools import wraps

from numpy import ndarray

from ..errors import translated
from ..errors import noted
from ..state import local
from ..tensor import Tensor, VersionCounter, mark_inference
from .accumulate import gradient_edge
from .hooks import follow_new_history
from .nodes import short_name
from .operations import ask_for_histories
from .strided import take_again

new = Tensor.__new__

# How a view came to be, where that restricts what may be done with it.
NO_GRAD, INFERENCE, MULTI_OUTPUT, CUSTOM_FUNCTION = "no_grad", "inference", "multi-output", "custom Function"


class View:
    """Of what a tensor is a view, and for which version of the memory its grad_fn holds."""

    __slots__ = ("base", "origin", "version")

    def __init__(self, base, origin, version):
        self.base = base            # never itself a view
        self.origin = origin        # None, or one of the four above
        self.version = version

    def refresh(self, view):
        """Give the view, if its memory was written since, a new history: taken from the base as it is now.

        Returns whether the view takes a gradient; it does also where only its base does, as after a view
        under no_grad.
        """
        if self.version != view._counter.value and (view._node is not None or self.base._requires_grad):
            self.check_rewrite(view, indirectly=True)
            view._requires_grad, view._node, view._output_nr = True, take_again(self.base, view._array), 0
            self.version = view._counter.value
            follow_new_history(view)
            return True
        return view._requires_grad or self.base._requires_grad

    def check_rewrite(self, view, indirectly):
        """Refuse, with PyTorch's words, to give a new history to a view that came to be in a special way."""
        if self.origin is None:
            return
        done = "and its base or another view of its base has been" if indirectly else "and is being"
        node = view._node
        mode, in_mode = MODES.get(self.origin, MODES[NO_GRAD])
        if node is None:
            what = f"A view was created in {mode} mode {done} modified inplace {in_mode}."
        elif self.origin in MODES:
            what = (f"Output {view._output_nr} of {short_name(node)} is a view of a view which was created "
                    f"in {mode} mode {done} modified inplace {in_mode}.")
        else:
            what = f"Output {view._output_nr} of {short_name(node)} is a view {done} modified inplace."
        raise noted(RuntimeError(f"{what} {WHY_REFUSED[self.origin]}"))


MODES = {"no_grad": ("no_grad", "with grad mode enabled"), "inference": ("inference", "in normal mode")}

WHY_REFUSED = {
    MULTI_OUTPUT:
        "This view is the output of a function that returns multiple views. Such functions do not allow the "
        "output views to be modified inplace. You should replace the inplace operation by an out-of-place "
        "one.",
    NO_GRAD:
        "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code "
        "by moving both the view and the inplace either both inside the no_grad block (if you don't want "
        "the inplace to be tracked) or both outside (if you want the inplace to be tracked).",
    INFERENCE:
        "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code "
        "by moving both the view and the inplace either both inside the inference_mode block (if you don't "
        "want the inplace to be tracked) or both outside (if you want the inplace to be tracked).",
    CUSTOM_FUNCTION:
        "This view was created inside a custom Function (or because an input was returned as-is) and the "
        "autograd logic to handle view+inplace would override the custom backward associated with the "
        "custom Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by "
        "cloning the output of the custom Function.",
}


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
    """Note that `result` is a view of `source`."""
    result._counter = counter = source._get_counter()
    state = local.state
    if source._extra is not None and source._extra.inference:
        mark_inference(result)          # such tensors track neither views nor versions
        return
    if not state.recording:
        result._extra = None                        # not a tensor of inference mode's own
        origin = INFERENCE if state.inference else NO_GRAD
    view = source._view
    if view is None:
        base = source
    else:
        base = view.base
        if origin is None or view.origin is INFERENCE:
            origin = view.origin
    result._view = View(base, origin, counter.value)
