"""Views: several tensors that share one piece of memory.

A view remembers its base, which is no view itself, and the version of the memory for which its
history holds.  When it is used after a write, it gets a new history, from the base as it is now.
"""
from functools import wraps

from ..errors import noted
from ..state import local
from ..tensor import Tensor, mark_inference
from .hooks import follow_new_history
from .node import short_name
from .strided import as_strided_node

# How a view was made, where that restricts what may be done with it.
NO_GRAD, INFERENCE, MULTI_OUTPUT, CUSTOM_FUNCTION = "no_grad", "inference", "multi-output", "custom"

AMBIGUOUS = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your "
    "code by moving both the view and the inplace either both inside the {0} block (if you don't "
    "want the inplace to be tracked) or both outside (if you want the inplace to be tracked).")
WHY_REFUSED = {
    NO_GRAD: AMBIGUOUS.format("no_grad"), INFERENCE: AMBIGUOUS.format("inference_mode"),
    MULTI_OUTPUT: (
        "This view is the output of a function that returns multiple views. Such functions do not "
        "allow the output views to be modified inplace. You should replace the inplace operation "
        "by an out-of-place one."),
    CUSTOM_FUNCTION: (
        "This view was created inside a custom Function (or because an input was returned as-is) "
        "and the autograd logic to handle view+inplace would override the custom backward "
        "associated with the custom Function, leading to incorrect gradients. This behavior is "
        "forbidden. You can fix this by cloning the output of the custom Function.")}


class View:
    """Of which tensor a tensor is a view, and for which version of the memory its history holds."""
    __slots__ = ("base", "origin", "version")

    def refresh(self, view):
        """Give the view a new history if its memory was written since it got the present one."""
        if self.version != view._counter.value and (view._node or self.base._requires_grad):
            self.check_rewrite(view, "and its base or another view of its base has been")
            view._node, view._output_nr = as_strided_node(self.base, view._array), None
            view._requires_grad, self.version = True, view._counter.value
            follow_new_history(view)

    def check_rewrite(self, view, done="and is being"):
        """Refuse to give a new history to a view that was made in a special way."""
        if self.origin is None:
            return
        node, in_mode, now = view._node, "", ""
        if node is None or self.origin in (NO_GRAD, INFERENCE):
            mode, now = ((INFERENCE, " in normal mode") if self.origin is INFERENCE else
                         (NO_GRAD, " with grad mode enabled"))
            in_mode = f"{' of a view which' if node else ''} was created in {mode} mode"
        what = f"Output {view.output_nr} of {short_name(node)} is a view" if node else "A view"
        raise noted(RuntimeError(
            f"{what}{in_mode} {done} modified inplace{now}. {WHY_REFUSED[self.origin]}"))


def shares_memory(operation):
    """Mark an operation whose result, or each of whose results, is a view of its first argument."""
    @wraps(operation)
    def view_operation(self, *args):
        result = operation(self, *args)
        if isinstance(self, Tensor):
            for one in result if type(result) is tuple else (result,):
                make_view(one, self, None if one is result else MULTI_OUTPUT)
        return result
    return view_operation


def make_view(result, source, origin):
    """Make `result`, which shares the memory of `source`, a view of it, or of the same base."""
    result._counter = counter = source._counter or source._get_counter()
    if source._extra is not None and source._extra.inference:
        return mark_inference(result)       # such tensors track neither views nor versions
    state, view = local.state, source._view
    if not state.recording:
        result._extra = None                # in inference mode, a view of a normal tensor is normal
        origin = INFERENCE if state.inference else NO_GRAD
    if view is not None and (origin is None or view.origin is INFERENCE):
        origin = view.origin
    result._view = new = View()
    new.version, new.origin, new.base = counter.value, origin, source if view is None else view.base
