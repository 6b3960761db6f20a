"""Views: several tensors that share one piece of memory.

A view remembers its base, which is no view itself, and the version of the memory for
which its history holds.  When it is used after a write, it gets a new history, from the
base as it is now.
"""
import numpy as np

from ..errors import offered
from ..memory import as_strided_array, extent, geometry
from ..state import local, unusual_threads
from ..tensor import Tensor, mark_inference, wrap
from .accumulate import edges_to
from .calling import MULTI_OUTPUT
from .hooks import follow_new_history
from .node import name_in_messages
from .operation import differentiable
from .recording import record

# How a view was made, if that restricts writing to it; MULTI_OUTPUT is another.
NO_GRAD, INFERENCE, CUSTOM_FUNCTION = "no_grad", "inference", "custom"

AMBIGUOUS = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can "
    "clarify your code by moving both the view and the inplace either both inside the "
    "{0} block (if you don't want the inplace to be tracked) or both outside (if you "
    "want the inplace to be tracked).")
WHY_REFUSED = {
    NO_GRAD: AMBIGUOUS.format("no_grad"),
    INFERENCE: AMBIGUOUS.format("inference_mode"),
    MULTI_OUTPUT: (
        "This view is the output of a function that returns multiple views. Such "
        "functions do not allow the output views to be modified inplace. You should "
        "replace the inplace operation by an out-of-place one."),
    CUSTOM_FUNCTION: (
        "This view was created inside a custom Function (or because an input was "
        "returned as-is) and the autograd logic to handle view+inplace would "
        "override the custom backward associated with the custom Function, leading "
        "to incorrect gradients. This behavior is forbidden. You can fix this by "
        "cloning the output of the custom Function."),
}


class View:
    """Of which tensor a tensor is a view, and for which version its history holds."""

    __slots__ = (           # `make_view` fills them
        "base",             # the tensor that owns the memory; no view itself
        "restriction",      # None, or a key of WHY_REFUSED: the view can't be rewritten
        "version",          # that of the memory when the history was made
    )

    def refresh(self, tensor):
        """Give the view a new history if its memory was written in the meantime."""
        if self.version == tensor._counter.value:
            return
        if tensor._node is None and not self.base._requires_grad:
            return      # the version stays the old one: the base may yet get a history
        self.check_rewrite(tensor, "and its base or another view of its base has been")
        record_as_strided(self.base, tensor)
        self.version = tensor._counter.value
        follow_new_history(tensor)

    def check_rewrite(self, tensor, done="and is being"):
        """Refuse to give a new history to a view with a restriction.

        "Output 0 of UnbindBackward0 is a view and is being modified inplace. ..."
        "A view was created in no_grad mode and its base or another view of its base has
        been modified inplace with grad mode enabled. ..."
        """
        if self.restriction is None:
            return
        node, in_mode, now = tensor._node, "", ""
        if node is None or self.restriction in (NO_GRAD, INFERENCE):
            is_inference = self.restriction is INFERENCE
            mode = INFERENCE if is_inference else NO_GRAD
            now = " in normal mode" if is_inference else " with grad mode enabled"
            of_view = " of a view which" if node else ""
            in_mode = f"{of_view} was created in {mode} mode"
        what = "A view"
        if node:
            what = f"Output {tensor.output_nr} of {name_in_messages(node)} is a view"
        raise offered(RuntimeError(
            f"{what}{in_mode} {done} modified inplace{now}. "
            f"{WHY_REFUSED[self.restriction]}"))


def shares_memory(function):
    """Mark an operation whose results are views of its first argument."""
    function.operation.make_view = make_view
    return function


def make_view(result, source, restriction=None):
    """Make `result`, which shares the memory of `source`, a view of it or its base."""
    result._counter = counter = source._counter or source._get_counter()
    if source._extra is not None and source._extra.inference:
        mark_inference(result)      # such tensors track neither views nor versions
        return
    if unusual_threads and not local.state.recording:
        # In inference mode, a view of a normal tensor is a normal tensor.
        result._extra = None
        restriction = INFERENCE if local.state.inference else NO_GRAD
    outer = source._view
    if outer is not None and (restriction is None or outer.restriction is INFERENCE):
        restriction = outer.restriction
    result._view = view = View()
    view.version = counter.value
    view.restriction = restriction
    view.base = source if outer is None else outer.base


# --- the history of a view as strides over its base -----------------------------------
# A view whose memory was written gets its new history, from its base, as an as_strided.
# A geometry is (shape, strides, offset), in elements.

def as_strided_backward(grad, size, stride, storage_offset, _source):
    """Write the gradient of a view into zeros; read them by the source's geometry."""
    if not isinstance(grad, Tensor):
        grad = as_strided_backward(wrap(grad), size, stride, storage_offset, _source)
        return grad._array
    grad = without_repeated_dims(grad, size, stride)
    dims = [d for d, n in enumerate(size) if n != 1 and stride[d] != 0]
    offset = _source[2] if storage_offset is None else storage_offset
    view = [size[d] for d in dims], [stride[d] for d in dims], offset
    length = max(extent(*view), extent(*_source))
    memory = wrap(np.zeros(length, grad._array.dtype))
    if has_repeats(*view):
        places = wrap(memory_indices(*view).reshape(-1))
        memory.index_add_(0, places, grad.reshape(-1))
    elif 0 not in view[0]:
        memory.as_strided(*view).copy_(grad)
    if has_repeats(*_source):
        # Elements that share memory get an equal part each: PyTorch does so in
        # as_strided_backward.
        places = memory_indices(*_source).ravel()
        count = np.bincount(places, minlength=length).clip(1)
        memory = memory / wrap(count.astype(memory._array.dtype))
    return memory.as_strided(*_source)


def without_repeated_dims(grad, size, stride):
    """Sum over dimensions with stride 0, which repeat; drop those of size 1."""
    for dim in reversed(range(len(size))):
        if size[dim] == 1:
            grad = grad.squeeze(dim)
        elif stride[dim] == 0:
            grad = grad.sum(dim)
    return grad


def memory_indices(shape, strides, offset):
    """Return for each element its place in the memory."""
    return offset + np.tensordot(np.array(strides, int), np.indices(shape), 1)


def has_repeats(shape, strides, _):
    """Return whether elements may share memory."""
    # PyTorch's quick test, which says yes for some that don't.
    reached = 0
    for step, size in sorted(zip(strides, shape)):
        if size > 1 and step <= reached:
            return True
        reached += step * max(size - 1, 0)
    return False


@shares_memory
@differentiable("AsStridedBackward0", self=as_strided_backward)
def as_strided(self, size, stride, storage_offset, _source):
    """Return a view of the memory of `self`, whose own geometry is `_source`."""
    start = _source[2] if storage_offset is None else storage_offset
    return as_strided_array(self, size, stride, start - _source[2])


def record_as_strided(base, view):
    """Give a view a new history: an as_strided of its base as it is now."""
    edges = edges_to([base])
    values = (base, *geometry(view._array), geometry(base._array), view)
    view._output_nr = None
    record(as_strided.operation.plan((True,)), *edges, values, view)
