"""What a node keeps of the tensors that its formulas need, from the operation to the backward pass.

There are five kinds of things to keep, which all answer the same questions: the ``array``, for a pass on
arrays; the tensor with its history (``unpack``), for a pass that is itself recorded; and what
``grad_fn._saved_<name>`` and ``_raw_saved_<name>`` show (``shown``, ``raw``).  What hooks packed is a sixth,
in ``packed.py``.
"""
from __future__ import annotations

import numpy as np

from ..tensor import VersionCounter, wrap
from .anomaly_mode import anomaly
from .nodes import short_name

DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not "
    "supported, please use out-of-place `.detach()` instead")

INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and "
    "use it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.")

class SavedTensor:
    """An input, and the version it had when it was kept: to use it after an in-place write is an error."""

    __slots__ = ("tensor", "version", "made_by")

    def __init__(self, tensor):
        self.tensor = tensor
        self.made_by = tensor._node
        counter = tensor._counter
        self.version = 0 if counter is None else counter.value

    def array(self, node):
        tensor = self.tensor
        if tensor._node is None and self.made_by is not None:
            raise RuntimeError(DETACHED)
        counter = tensor._counter
        if counter is not None and counter.value != self.version:
            self.raise_modified(node)
        return tensor._array

    def is_modified(self):
        counter = self.tensor._counter
        return counter is not None and counter.value != self.version

    def raise_modified(self, node):
        raise_modified(self.tensor, self.tensor.grad_fn, self.tensor._output_nr, self.version)

    def unpack(self, node):
        """The tensor itself, with its history."""
        self.array(node)
        return self.tensor

    def shown(self, node):
        """The same for who only looks at this one: that the tensor was detached does not matter then."""
        if self.is_modified():
            self.raise_modified(node)
        return self.tensor

    def raw(self):
        return self.tensor


class SavedResult:
    """The node's own result.  Kept without its history, or node and tensor would keep each other alive."""

    __slots__ = ("value", "counter", "version", "output_nr", "later_grad_fn")

    def __init__(self, tensor, output_nr=0):
        self.value = tensor._array
        counter = tensor._counter
        if counter is None:
            counter = tensor._counter = VersionCounter()
        self.counter = counter
        self.version = counter.value
        self.output_nr = output_nr
        self.later_grad_fn = None       # of a result written into a view: (weakly) the view's own grad_fn

    def array(self, node):
        if self.counter.value != self.version:
            self.raise_modified(node)
        return self.value

    def is_modified(self):
        return self.counter.value != self.version

    def raise_modified(self, node):
        raise_modified(self.restored(node), self.grad_fn(node), self.output_nr, self.version)

    def unpack(self, node):
        self.array(node)
        return self.restored(node)

    def shown(self, node):
        if self.is_modified():
            self.raise_modified(node)
        return self.restored(node)

    def raw(self):
        """The result without its history."""
        tensor = wrap(self.value)
        tensor._counter = self.counter
        return tensor

    def grad_fn(self, node):
        return node if self.later_grad_fn is None else self.later_grad_fn() or node

    def restored(self, node):
        """A tensor with the result's memory, version and place in the graph."""
        tensor = self.raw()
        tensor._requires_grad, tensor._node, tensor._output_nr = True, self.grad_fn(node), self.output_nr
        return tensor


class SavedArray:
    """Numbers that are nobody's tensor: the 0-d array made of a Python number beside a tensor."""

    __slots__ = ("operand", "number")

    # seen as an operand, it takes no gradient
    _requires_grad = False
    _view = None

    def __init__(self, operand, number=None):
        self.operand = operand              # what was computed with
        self.number = number                # what the user wrote

    @property
    def _array(self):
        return self.operand

    def array(self, node):
        return self.operand

    def unpack(self, node):
        return wrap(self.operand)

    def raw(self):
        return wrap(np.asarray(self.operand if self.number is None else self.number))

    def shown(self, node):
        return self.raw()


class SavedList:
    """Several tensors saved under one name."""

    __slots__ = ("items",)

    def __init__(self, items):
        self.items = items

    def array(self, node):
        return [item if item is None else item.array(node) for item in self.items]

    def unpack(self, node):
        return [item if item is None else item.unpack(node) for item in self.items]

    def shown(self, node):
        return tuple([item if item is None else item.shown(node) for item in self.items])

    def __getitem__(self, i):
        return self.items[i]


class SavedNone:
    """An optional tensor that was not given."""

    def array(self, node=None):
        return None

    unpack = shown = raw = array


NOTHING = SavedNone()


def raise_modified(tensor, grad_fn, output_nr, expected):
    """The error of a saved tensor that was written in place; it names the operation whose output it is."""
    made_by = ""
    if grad_fn is not None:
        made_by = f", which is output {output_nr} of {short_name(grad_fn)},"
    hint = ("Hint: the backtrace further above shows the operation that failed to compute its gradient. The "
            "variable in question was changed in there or anywhere later. Good luck!" if anomaly.enabled else
            "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True, check_nan=False).")
    raise RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{'CPUBoolType' if tensor._array.dtype.kind == 'b' else tensor.dtype.tensor_type} "
        f"{list(tensor._array.shape)}]{made_by} is at version {tensor._counter.value}; expected version "
        f"{expected} instead. {hint}")
