"""Saved values: what a node keeps of the tensors that its formulas need, until the backward pass.

An input is kept as the tensor itself, with its version: after a later write in place, its use is an
error.  A node's own result is kept without its history, or the two would keep each other alive.
Every saved value has ``_array``, ``_counter`` and ``_extra``, where a tensor notes a ``detach_()``.
One that is not a tensor has ``with_history(node)``, which returns a tensor.
"""
from types import SimpleNamespace

import numpy as np

from ..errors import noted
from ..state import local
from ..tensor import Tensor, wrap
from .anomaly_mode import anomaly
from .node import short_name
from .saved_hooks import SavedByHooks

DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is "
    "not supported, please use out-of-place `.detach()` instead")
INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
    "inference mode in computation tracked by autograd. To work around this, you can make a clone "
    "to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
    "`torch.inference_mode()`.")


class SavedResult:
    """A node's own result, without its history."""
    __slots__ = ("_array", "_counter", "_output_nr", "later_grad_fn")
    _extra = None

    def __init__(self, tensor):
        self._array, self._output_nr = tensor._array, tensor._output_nr
        self._counter = tensor._counter or tensor._get_counter()
        self.later_grad_fn = None   # of a result written into a view: weakly, the view's grad_fn

    def with_history(self, node):
        """Return a tensor with the result's memory and counter; if `node` is None, a constant."""
        tensor = wrap(self._array)
        tensor._counter = self._counter
        if node is not None:
            tensor._requires_grad, tensor._output_nr = True, self._output_nr
            tensor._node = self.later_grad_fn and self.later_grad_fn() or node
        return tensor


class WrappedNumber:
    """A Python number beside a tensor: the 0-d array computed with, and what the user wrote."""
    __slots__ = ("_array", "_counter", "number")
    _view = _node = _extra = _output_nr = None      # it is treated as a constant tensor
    _requires_grad = False

    def __init__(self, array, number, counter=None):
        self._array, self.number, self._counter = array, number, counter

    def with_history(self, node):
        return None if self is NOTHING else wrap(self._array)


# An optional tensor that was not given.  Its version is None; a backward pass frees `_kept` but not
# `_versions`, which still says then that nothing was given.
NOTHING = WrappedNumber(None, None, counter=SimpleNamespace(value=None))


class SavedList:
    """Several tensors saved under one name, each perhaps None; it keeps them as a node does."""
    _counter = _extra = None
    _sequence = float("inf")     # lists hold indices: detach_() does not matter to them

    def __init__(self, items):
        keep(self, *items)

    @property
    def _array(self):
        return [array_of(self, i) for i in range(len(self._kept))]

    def with_history(self, node):
        return tuple([tensor_of(self, i) for i in range(len(self._kept))])


def save_input(value):
    """Return what a node keeps of an argument: a tensor, a number, a list of tensors, or None."""
    if isinstance(value, Tensor):
        if value._extra is not None and value._extra.inference:
            raise noted(RuntimeError(INFERENCE_SAVED))
        return SavedByHooks(value, False) if local.state.saved_tensors_hooks else value
    if value is None:
        return NOTHING
    if isinstance(value, (list, tuple)):
        return SavedList([save_input(one) for one in value])
    return value if isinstance(value, WrappedNumber) else WrappedNumber(np.asarray(value), value)


def save_result(tensor):
    """Return what a node keeps of its own result."""
    if local.state.saved_tensors_hooks:
        return SavedByHooks(tensor, True)
    # Integers, such as indices, have no node: there is no cycle to avoid.
    return SavedResult(tensor) if tensor._array.dtype.kind == "f" else tensor


def keep(node, *values):
    """Store saved values on a node, each with its present version."""
    node._kept = values
    node._versions = tuple([0 if one._counter is None else one._counter.value for one in values])


def array_of(node, i):
    """Return the array of saved value `i`; raise if it was freed, or written after it was saved."""
    value = node._kept[i]
    counter = value._counter
    # Few tensors have an _extra; only one that has may have been detached in place: ask check().
    if (counter is not None and counter.value != node._versions[i]) or value._extra is not None:
        check(value, node._versions[i], node)
    return value._array


def tensor_of(node, i, in_formula=True):
    """Return saved value `i` as a tensor with its history, as a tuple of tensors, or as None."""
    value = node._kept[i]
    check(value, node._versions[i], node, in_formula)
    return value if isinstance(value, Tensor) else value.with_history(node)


def check(value, version, node, in_formula=True):
    """Raise if a value was written after it was saved or, for a formula, detached in place."""
    extra = value._extra if in_formula else None
    if extra is not None and extra.detached_at > node._sequence:
        raise RuntimeError(DETACHED)
    if value._counter is None or value._counter.value == version:
        return
    tensor = value if isinstance(value, Tensor) else value.with_history(node)
    maker = tensor.grad_fn
    made_by = f", which is output {tensor.output_nr} of {short_name(maker)}," if maker else ""
    hint = ("the backtrace further above shows the operation that failed to compute its gradient. "
            "The variable in question was changed in there or anywhere later. Good luck!"
            if anomaly.enabled else
            "enable anomaly detection to find the operation that failed to compute its gradient, "
            "with torch.autograd.set_detect_anomaly(True, check_nan=False).")
    kind = "CPUBoolType" if tensor._array.dtype.kind == "b" else tensor.dtype.tensor_type
    raise RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{kind} {list(tensor._array.shape)}]{made_by} is at version "
        f"{tensor._counter.value}; expected version {version} instead. Hint: {hint}")
