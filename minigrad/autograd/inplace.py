r"""Writes in place: to memory that several tensors may share, and into histories.

    y = x * 2         v = y[:2]            v.mul_(10)

    x -- Mul -- y     x -- Mul -- y        x -- Mul -- CopySlices -- y
                                   \                             \
                                    Slice -- v                    AsStrided -- v

CopySlices, below, contains the node of mul_, and runs it on the part of the
gradient that belongs to v; outside v the gradient passes unchanged.  v gets a new
history, AsStrided, from y.  A tensor and its views share one version counter: by it, a
view finds at its next use that its history is stale.
"""

import weakref

import numpy as np

from .. import dtypes
from ..errors import check_broadcast, offered
from ..memory import empty_like_layout, geometry, refuse_overlap, writeable
from ..state import local, quiet
from ..tensor import Tensor, bump_version, wrap
from .accumulate import edges_to, gradient_node
from .calling import (
    arrays_of,
    in_common_dtype,
    inputs_of,
    operands_of,
    refusal,
)
from .hooks import follow_new_history
from .node import Node
from .recording import record
from .saved import SavedResult, check_can_be_saved

LEAF = "a leaf Variable that requires grad is being used in an in-place operation."


def in_place(function):
    """Return the form of an operation that writes its result over `self`."""
    operation = function.operation

    def compute_in_place(self, *args):
        operands = [self, *args]
        if operation.is_binary:
            operands = operands_of(operation, self, args[0])
            if operands[1] is None:
                return NotImplemented
        return write(operation, operands)

    name = operation.name.strip("_")
    compute_in_place.__name__ = compute_in_place.__qualname__ = f"{name}_"
    compute_in_place.__doc__ = f"Write `{name}` over the tensor itself, and return it."
    return compute_in_place


def write(operation, operands, change=None):
    """Write the result of `operation` over its first operand, and record that.

    `change(array)` does the writing, if it is given.  Returns the operand.
    """
    self = operands[0]
    needed, inputs = inputs_of(operation, operands)
    edges = None
    if local.state.recording and True in needed:
        check_in_place(self)
        if self._array.dtype.kind == "f":
            edges = edges_to(inputs)
    if edges:
        plan, values = operation.plan(needed), [*operands, self]
        for name, value in zip(operation.parameters, operands):
            if name in plan.saved_names:
                check_can_be_saved(value)
        if change is None and operation.parameters[0] in plan.saved_names:
            # The formulas need the numbers that `self` has before the write.
            values[0] = self.clone()
    if change is None:
        store_result(operation, operands)
    else:
        self._array = writeable(self._array)
        quiet.copy().run(change, self._array)
    bump_version(self)
    if edges:
        self._output_nr = None      # of the node that it gets now
        record(plan, *edges, values, self)
        lower_versions(self._node, self._counter)
        rebase_history(self, self._node)
    return self


def lower_versions(node, counter):
    """Let a pass refuse the operands in the memory that was written.

    They were saved after the write was counted, but read before it: one version less.
    """
    if node._values is not None:
        node._versions = tuple([
            version - 1 if isinstance(value, Tensor) and value._counter is counter
            else version for value, version in zip(node._values, node._versions)])


def check_in_place(tensor):
    """Refuse to record a write to a leaf, or to a view made in a special way."""
    view = tensor._view
    if view is not None:
        view.check_rewrite(tensor)
        if tensor.requires_grad and view.base._node is None:
            raise offered(RuntimeError(f"a view of {LEAF}"))
    # Not grad_fn, which would refresh: as in PyTorch, a view that was a leaf when its
    # base was written counts as a leaf until somebody reads its grad_fn.
    if tensor.requires_grad and tensor._node is None:
        raise offered(RuntimeError(LEAF))


def store_result(operation, operands):
    """Compute an operation, and write its result over the first operand."""
    arrays = [arrays_of(one) for one in operands]
    target = arrays[0]
    if operation.is_binary and arrays[0].dtype is not arrays[1].dtype:
        arrays = in_common_dtype(operation, *arrays)
    sources = [one._array for one in operands[1:] if isinstance(one, Tensor)]
    refuse_overlap(target, *sources)
    try:
        result = np.asarray(quiet.copy().run(operation.forward, *arrays))
    except Exception as error:
        raise refusal(operation, error, operands) from None
    check_broadcast(target.shape, result.shape)
    if not dtypes.can_cast(result.dtype, target.dtype):
        raise RuntimeError(
            f"result type {dtypes.short_name(result.dtype)} can't be cast to the "
            f"desired output type {dtypes.short_name(target.dtype)}")
    writeable(target)[...] = result


def rebase_history(self, node):
    """Make `node`, a write, the latest in the history of `self`, or of its base."""
    view = self._view
    base, latest = self, node
    if view is not None:
        base, latest = view.base, CopySlices(view.base, self, node)
    base._requires_grad = True
    base._node = latest
    base._output_nr = None
    follow_new_history(base)
    if view is not None:
        # Other views refresh themselves when they are next used: after v[0] = 1 `self`
        # is a view without a name, and v itself is such another view.
        view.refresh(self)
        for value in node._values or ():
            if isinstance(value, SavedResult):
                value.later_grad_fn = weakref.ref(self._node)


# --- the node of a write to a view ---------------------------------------------------

class CopySlices(Node):
    """A write to a view, as the base's latest node; it saves the node of the write."""

    __module__ = "builtins"     # what type(node) prints
    __slots__ = ("base_geometry", "view_geometry")

    def __init__(self, base, view, write):
        children = gradient_node(base), *write._children[1:]
        numbers = write._output_nrs or (None,) * len(children)
        super().__init__(children, (base._output_nr, *numbers[1:]), base._array)
        self.base_geometry = geometry(base._array)
        self.view_geometry = geometry(view._array)
        self._values = (write,)

    def name(self):
        return "torch::autograd::CopySlices"

    def _gradients_of_tensors(self, grad, wanted=None):
        write, = self._unpack()
        shape, strides, start = self.base_geometry
        memory = empty_like_layout(shape, strides, self._dtype)
        result = wrap(memory).copy_(grad)
        shape, strides, offset = self.view_geometry
        part = result.as_strided(shape, strides, offset - start)
        before, *others = write._gradients_of_tensors(part.clone(), wanted)
        if before is None:
            return None, *others
        part.copy_(before)      # the gradient of the view as it was before the write
        return result, *others

    def _unpack(self):
        return tuple(self._values)      # raises if a pass has freed it
