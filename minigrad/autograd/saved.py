"""Saved values: what a node keeps of the tensors that its formulas need.

An input is saved as the tensor itself, with its version: after a later write in place,
its use is an error.  A node's own result is saved without its history, or the two would
keep each other alive.  Every saved value has ``_array``, ``_counter`` and ``_extra``,
where a tensor notes a ``detach_()``.  One that is not a tensor has
``with_history(node)``, which returns a tensor.
"""
from types import SimpleNamespace

import numpy as np

from ..errors import offered
from ..state import local
from ..tensor import Tensor, VersionCounter, wrap
from .anomaly_mode import anomaly
from .grad_mode import no_grad
from .node import name_in_messages

DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with "
    ".detach_().This is not supported, please use out-of-place `.detach()` instead")
INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors "
    "created in inference mode in computation tracked by autograd. To work around "
    "this, you can make a clone to get a normal tensor and use it in autograd, or use "
    "`torch.no_grad()` instead of `torch.inference_mode()`.")
MODIFIED = (
    "one of the variables needed for gradient computation has been modified by an "
    "inplace operation: [{kind} {shape}]{made_by} is at version {now}; expected "
    "version {before} instead. Hint: {hint}")
HINT = (
    "enable anomaly detection to find the operation that failed to compute its "
    "gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).")
HINT_IN_ANOMALY_MODE = (
    "the backtrace further above shows the operation that failed to compute its "
    "gradient. The variable in question was changed in there or anywhere later. Good "
    "luck!")


class SavedResult:
    """A node's own result, without its history."""

    __slots__ = ("_array", "_counter", "_extra", "_output_nr", "later_grad_fn")

    def __init__(self, tensor):
        self._array = tensor._array
        counter = tensor._counter
        if counter is None:
            counter = tensor._counter = VersionCounter()
        self._counter = counter
        self._extra = None
        self._output_nr = tensor._output_nr
        # Of a result that was written into a view: weakly, the view's grad_fn.
        self.later_grad_fn = None

    def with_history(self, node):
        """Return a tensor with its memory and counter; without a `node`, a constant."""
        tensor = wrap(self._array)
        tensor._counter = self._counter
        if node is not None:
            tensor._requires_grad = True
            tensor._output_nr = self._output_nr
            tensor._node = node
            if self.later_grad_fn is not None:
                tensor._node = self.later_grad_fn() or node
        return tensor


class WrappedNumber:
    """A Python number beside a tensor; operations take it for a constant tensor."""

    __slots__ = ("_array", "number")
    _view = _node = _extra = _counter = _output_nr = None
    _requires_grad = False

    def __init__(self, array, number):
        self._array = array
        self.number = number

    def with_history(self, node):
        return wrap(self._array)


class Nothing:
    """An optional tensor that was not given."""

    _array = _extra = None
    # After a pass freed `_values`, the None in `_versions` still tells that none was.
    _counter = SimpleNamespace(value=None)

    def with_history(self, node):
        return None


NOTHING = Nothing()


class SavedList:
    """Several tensors under one name, each perhaps None, saved as a node saves them."""

    _counter = _extra = None
    _sequence = float("inf")    # lists hold indices: detach_() does not matter to them

    def __init__(self, items):
        save_values(self, items)

    @property
    def _array(self):
        return [saved_array(self, i) for i in range(len(self._values))]

    def with_history(self, node):
        return tuple([saved_tensor(self, i) for i in range(len(self._values))])


def save_input(value):
    """Return what a node saves of a tensor, a number, a list of tensors, or None."""
    if isinstance(value, Tensor):
        check_can_be_saved(value)
        if local.state.saved_tensors_hooks:
            return SavedByHooks(value, is_result=False)
        return value
    if value is None:
        return NOTHING
    if isinstance(value, (list, tuple)):
        return SavedList([save_input(one) for one in value])
    if isinstance(value, WrappedNumber):
        return value
    return WrappedNumber(np.asarray(value), value)


def check_can_be_saved(value):
    """Raise for a tensor that was made in inference mode."""
    if isinstance(value, Tensor) and value.is_inference():
        raise offered(RuntimeError(INFERENCE_SAVED))


def save_result(tensor):
    """Return what a node saves of its own result."""
    if local.state.saved_tensors_hooks:
        return SavedByHooks(tensor, is_result=True)
    return SavedResult(tensor)


def save_values(node, values):
    """Store saved values on a node, each with its present version."""
    node._values = tuple(values)
    node._versions = tuple([
        0 if value._counter is None else value._counter.value for value in values])


def saved_array(node, i):
    """Return the array of saved value `i`, for a formula."""
    value = node._values[i]
    counter = value._counter
    # Few tensors have an _extra; only those may have been detached in place.
    if value._extra is not None or (
            counter is not None and counter.value != node._versions[i]):
        check_version(value, node._versions[i], node)
    return value._array


def saved_tensor(node, i, in_formula=True):
    """Return saved value `i` with its history: a tensor, a tuple of them, or None.

    With ``in_formula=False`` it is a program that looks at what the node saved.
    """
    value = node._values[i]
    check_version(value, node._versions[i], node, in_formula)
    return value if isinstance(value, Tensor) else value.with_history(node)


def check_version(value, version, node, in_formula=True):
    """Raise if a value was written, or, for a formula, detached, since it was saved."""
    extra = value._extra
    if in_formula and extra is not None and extra.detached_at > node._sequence:
        raise RuntimeError(DETACHED)
    if value._counter is None or value._counter.value == version:
        return
    tensor = value if isinstance(value, Tensor) else value.with_history(node)
    made_by = ""
    maker = tensor.grad_fn
    if maker is not None:
        made_by = f", which is output {tensor.output_nr} of {name_in_messages(maker)},"
    is_bool = tensor._array.dtype.kind == "b"
    raise RuntimeError(MODIFIED.format(
        kind="CPUBoolType" if is_bool else tensor.dtype.tensor_type,
        shape=list(tensor._array.shape),
        made_by=made_by,
        now=tensor._counter.value,
        before=version,
        hint=HINT_IN_ANOMALY_MODE if anomaly.enabled else HINT))


# --- hooks of saved tensors ----------------------------------------------------------
# Functions of the user pack what nodes save, and unpack it when it is needed.

PACK_WRITES = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as "
    "input to pack hook cannot be modified by in-place operations as this can lead "
    "to unexpected side-effects. Please open an issue if you need to perform "
    "in-place operations on the input to a pack hook.")
NOT_A_TENSOR = (
    "Output of saved tensor unpack_hook expected to be a Tensor but got result of "
    "type {}")


class saved_tensors_hooks:
    """Within the block, save `pack_hook(tensor)` instead of each tensor.

    When the tensor is needed, ``unpack_hook(packed)`` must return it.

    >>> hooks = torch.autograd.graph.saved_tensors_hooks
    >>> with hooks(lambda t: t.tolist(), torch.tensor):
    ...     y = x * x               # the node keeps two lists instead of two tensors
    """

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self):
        state = local.state
        if state.hooks_disabled:
            raise RuntimeError(state.hooks_disabled)
        pair = self.pack_hook, self.unpack_hook
        state.set_saved_tensors_hooks((*state.saved_tensors_hooks, pair))

    def __exit__(self, *error):
        state = local.state
        state.set_saved_tensors_hooks(state.saved_tensors_hooks[:-1])


class SavedByHooks:
    """What a pack hook made of a tensor, and what else is needed to restore it."""

    _counter = _extra = None    # no version is compared: the hooks know what they kept
    unpacked_in = None          # the Freed of the pass that unpacked the tensor last

    def __init__(self, tensor, is_result, hooks=None):
        self.is_result = is_result
        self.output_nr = tensor._output_nr
        self.requires_grad = is_result or tensor.requires_grad
        self.grad_fn = None if is_result else tensor.grad_fn
        self.extra = tensor._extra      # where a leaf has its AccumulateGrad
        if hooks is None:       # then those of the innermost block
            hooks = local.state.saved_tensors_hooks[-1]
        else:
            tensor = tensor.detach()
        pack_hook, self.unpack_hook = hooks
        version = tensor._version
        with no_grad():
            self.packed = pack_hook(tensor)
        if tensor._version != version:
            raise RuntimeError(PACK_WRITES)

    @property
    def _array(self):
        return self.unpacked()._array

    def unpacked(self):
        """Return the tensor that the hook unpacks, once in a pass."""
        current = local.state.current_pass
        if current is not None and current.freed is self.unpacked_in:
            return self.tensor
        with no_grad():
            tensor = self.unpack_hook(self.packed)
        if not isinstance(tensor, Tensor):
            raise TypeError(NOT_A_TENSOR.format(type(tensor).__name__))
        self.tensor = tensor
        self.unpacked_in = None if current is None else current.freed
        return tensor

    def with_history(self, node):
        """Return the unpacked tensor in the place of the saved one in the graph."""
        unpacked = self.unpacked()
        tensor = wrap(unpacked._array)
        tensor._counter = unpacked._get_counter()
        tensor._extra = self.extra
        tensor._requires_grad = self.requires_grad
        tensor._output_nr = self.output_nr
        tensor._node = node if self.is_result else self.grad_fn
        return tensor
