"""Writes in place: to memory that several tensors may share, and into histories that must follow.

        y = x * 2         v = y[:2]           v.mul_(10)

        x -- Mul -- y     x -- Mul -- y       x -- Mul -- CopySlices -- y
                                      |                        |
                                    Slice -- v             AsStrided -- v

The write enters the history of the base y, as a CopySlices; the view v is then taken again from y as it is
now.  A tensor and its views share one version counter, so a view notices at its next use that it is stale.
"""
from __future__ import annotations

import weakref

import numpy as np

from .. import dtypes
from ..errors import common_shape, noted, translated
from ..memory import empty_like_layout, geometry, partly_the_same, refuse_overlap, writeable
from ..state import local
from ..tensor import Tensor, bump_version, wrap
from .calling import arrays_of, inputs_of, promoted, takes_gradient, with_wrapped_number
from .hooks import follow_new_history
from .node import BACKWARD_TWICE, Node, edges_to, gradient_node
from .saved import SavedResult, WrappedNumber, save_input

LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
VIEW_OF_LEAF = "a view of a leaf Variable that requires grad is being used in an in-place operation."
OVERLAPS_SOURCE = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
    "memory location. Please clone() the tensor before performing the operation.")


def in_place(function):
    """Return the in-place form of an operation: the same formulas, with the result written over `self`."""
    operation = function.operation
    binary = len(operation.tensors) == 2 == len(operation.parameters)

    def call(self, *args):
        operands = [self, *args]
        if binary and not isinstance(args[0], (Tensor, WrappedNumber)):
            if not isinstance(args[0], dtypes.NUMBERS):
                return NotImplemented
            operands = with_wrapped_number(operation, self, args[0])
        return write(operation, operands, None)

    call.__name__ = call.__qualname__ = f"{operation.name.strip('_')}_"
    call.__doc__ = f"Write `{call.__name__[:-1]}` over the tensor itself, and return it."
    call.operation = operation
    return call


def write(operation, operands, change):
    """Write into the first operand what `operation` computes from all of them, record it, and return it.

    `change(array)` does the writing; without it the operation's result is computed and stored.
    """
    self = operands[0]
    needed = tuple([takes_gradient(operands[i]) for i in operation.positions])
    tracked = local.state.recording and True in needed
    floating = self._array.dtype.kind == "f"
    check_in_place(self, tracked and (floating or change is None or operation.node_name != COPY))
    tracked = tracked and floating
    if tracked:
        plan = operation.plan(*needed)
        check_savable(operation, plan, operands)
        edges = edges_to(inputs_of(operation, operands))
        values = [*operands, self]
        if change is None and operation.parameters[0] in plan.tensors:
            values[0] = self.clone()            # the formulas need the numbers as they were
    if change is None:
        store(self, result_of(operation, operands))
    else:
        self._array = writeable(self._array)
        local.state.quiet(change, self._array)
    bump_version(self)
    if tracked:
        node = operation.node_type(*edges, self._array)
        node._plan = plan
        if plan.keep is not None:
            plan.keep(node, values)
        if node._kept is not None:
            count_own_write(node, self)
        rebase_history(self, node)
    return self


COPY = "torch::autograd::CopyBackwards"     # a copy into integers is not recorded, so nothing is refused


def check_in_place(tensor, tracked):
    """Refuse to write where PyTorch refuses; `tracked`: the write would be recorded."""
    if not tracked:
        return
    view = tensor._view
    if view is not None:
        view.check_rewrite(tensor)
        if tensor.requires_grad and view.base._node is None:
            raise noted(RuntimeError(VIEW_OF_LEAF))
    # A view counts as a leaf until somebody asks for the grad_fn that a write to its base gave it.
    if tensor.requires_grad and tensor._node is None:
        raise noted(RuntimeError(LEAF))


def check_savable(operation, plan, operands):
    """Refuse before anything is written what could not be saved afterwards."""
    for name, value in list(zip(operation.parameters, operands))[1:]:       # of `self` a copy is saved
        if name in plan.tensors and isinstance(value, Tensor) and value.is_inference():
            save_input(value)


def result_of(operation, operands):
    """Compute the array that an in-place operation stores."""
    self, *others = operands
    for other in others:
        if (isinstance(other, Tensor) and (self._array.base is not None or other._array.base is not None)
                and partly_the_same(self._array, other._array)):
            raise RuntimeError(OVERLAPS_SOURCE)
    arrays = [arrays_of(one) for one in operands]
    if len(operation.tensors) == 2 == len(operands):
        if operation.refuse is not None:
            operation.refuse(*arrays)
        arrays = promoted(*arrays)
    try:
        return np.asarray(local.state.quiet(operation.forward, *arrays))
    except (ValueError, NotImplementedError) as error:
        refuse_overlap(self._array)             # PyTorch looks at the memory first
        raise translated(error, operands) if type(error) is ValueError else error from None


def store(tensor, out):
    """Write the array `out` over the tensor's numbers, if shape, dtype and memory allow it."""
    array = tensor._array
    refuse_overlap(array)
    if out.shape != array.shape:
        raise RuntimeError(f"output with shape {list(array.shape)} doesn't match the broadcast shape "
                           f"{list(out.shape)}")
    if not dtypes.can_cast(out.dtype, array.dtype):
        raise RuntimeError(f"result type {dtypes.short_name(out.dtype)} can't be cast to the desired output "
                           f"type {dtypes.short_name(array.dtype)}")
    writeable(array)[...] = out


def check_broadcast(target, source):
    """Refuse to write an array of shape `source` where the shape of the target would have to broadcast."""
    common = common_shape(target, source)
    if common != target:
        raise RuntimeError(f"output with shape {list(target)} doesn't match the broadcast shape {list(common)}")


def check_overlap(target, source):
    """Refuse a source that shares some of the target's memory, unless it is the target itself."""
    refuse_overlap(target)
    if partly_the_same(target, source):
        raise RuntimeError(OVERLAPS_SOURCE)


# --- the history of what was written ------------------------------------------------------------------------

def count_own_write(node, written):
    """Save an operand in the memory that was written with its version from before: it is stale now."""
    node._versions = tuple([
        version - (isinstance(value, Tensor) and value._counter is written._counter)
        for value, version in zip(node._kept, node._versions)])


def rebase_history(self, node):
    """Make `node`, the write, the latest in the history of `self`; for a view, in that of its base."""
    view = self._view
    if view is None:
        self._requires_grad, self._node, self._output_nr = True, node, None
        follow_new_history(self)
        return
    base = view.base
    copy_slices = CopySlices(base, self, node)
    base._requires_grad, base._node, base._output_nr = True, copy_slices, None
    follow_new_history(base)
    view.refresh(self)
    for value in node._kept or ():
        if isinstance(value, SavedResult):
            value.later_grad_fn = weakref.ref(self._node)


class CopySlices(Node):
    """A base after a write to a view: there the gradient goes through the write, elsewhere it passes."""

    __module__ = "builtins"             # what type(node) prints
    __slots__ = ("base_geometry", "view_geometry", "write")

    def __init__(self, base, view, write):
        edges = [(gradient_node(base), base._output_nr), *write.next_functions[1:]]
        super().__init__(*zip(*edges), base._array)
        *self.base_geometry, start = geometry(base._array)
        shape, strides, offset = geometry(view._array)
        self.view_geometry = shape, strides, offset - start
        self.write = write

    def name(self):
        return "torch::autograd::CopySlices"

    def gradients_as_tensors(self, grad, wanted=None):
        self.check_saved()
        result = wrap(empty_like_layout(*self.base_geometry, self._dtype))
        result.copy_(grad)
        inside = result.as_strided(*self.view_geometry)
        through, *others = self.write.gradients_as_tensors(inside.clone(), wanted)
        if through is None:
            return None, *others
        inside.copy_(through)
        return result, *others

    def check_saved(self):
        if self.write is None:
            raise RuntimeError(BACKWARD_TWICE)

    def free(self, freed):
        self.write, self._kept = None, freed
