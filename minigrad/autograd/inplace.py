"""Writes in place: to memory that several tensors may share, and into histories that must follow.

        y = x * 2         v = y[:2]           v.mul_(10)

        x -- Mul -- y     x -- Mul -- y       x -- Mul -- CopySlices -- y
                                      |                        |
                                    Slice -- v             AsStrided -- v

CopySlices contains the node of mul_ and runs it on the part of the gradient that belongs to v;
outside v the gradient passes unchanged.  v gets a new history, AsStrided, from y.  A tensor and its
views share one version counter: by it, a view finds at its next use that its history is stale.
"""
import weakref

import numpy as np

from .. import dtypes
from ..errors import common_shape, noted
from ..memory import empty_like_layout, geometry, refuse_overlap, writeable
from ..state import local, quiet
from ..tensor import Tensor, bump_version, wrap
from .calling import arrays_of, inputs_of, promoted, refusal, with_wrapped_number
from .hooks import follow_new_history
from .node import Node, edges_to, gradient_node
from .saved import SavedResult

LEAF = "a leaf Variable that requires grad is being used in an in-place operation."


def in_place(function):
    """Return the form of an operation that writes its result over `self`."""
    operation = function.operation

    def call(self, *args):
        operands = [self, *args]
        if operation.is_binary and not isinstance(args[0], Tensor):
            if not isinstance(args[0], dtypes.NUMBERS):
                return NotImplemented
            operands = with_wrapped_number(operation, self, args[0])
        return write(operation, operands)

    call.__name__ = call.__qualname__ = f"{operation.name.strip('_')}_"
    call.__doc__ = f"Write `{call.__name__[:-1]}` over the tensor itself, and return it."
    return call


def write(operation, operands, change=None):
    """Write the result of `operation` over its first operand, record that, and return the operand.

    `change(array)` does the writing; without it the operation's result is computed and stored.
    """
    self = operands[0]
    needed, inputs = inputs_of(operation, operands)
    if local.state.recording and True in needed:
        check_in_place(self)
    tracked = local.state.recording and True in needed and self._array.dtype.kind == "f"
    if tracked:
        plan, edges = operation.plan(needed), edges_to(inputs)
        # The formulas need the numbers that `self` has before the write.
        copied = change is None and operation.parameters[0] in plan.saved_names
        values = [self.clone() if copied else self, *operands[1:], self]
    if change is None:
        store_result(operation, operands)
    else:
        self._array = writeable(self._array)
        quiet.copy().run(change, self._array)
    bump_version(self)
    if tracked:
        node = operation.node_type(*edges, self._array)
        node._plan = plan
        if plan.keep is not None:
            plan.keep(node, values)
        # The write has just been counted.  Another saved operand that shares this memory was read
        # before it: store the version of that time, so that a backward pass refuses the operand.
        if node._kept is not None:
            node._versions = tuple([
                version - (isinstance(value, Tensor) and value._counter is self._counter)
                for value, version in zip(node._kept, node._versions)])
        rebase_history(self, node)
    return self


def check_in_place(tensor):
    """Refuse to record a write to a leaf, and to a view that was made in a special way."""
    view = tensor._view
    if view is not None:
        view.check_rewrite(tensor)
        if tensor.requires_grad and view.base._node is None:
            raise noted(RuntimeError(f"a view of {LEAF}"))
    # A view counts as a leaf until its grad_fn is read, which a write to its base gave it.
    if tensor.requires_grad and tensor._node is None:
        raise noted(RuntimeError(LEAF))


def store_result(operation, operands):
    """Compute an operation, and write its result over the first operand."""
    arrays = [arrays_of(one) for one in operands]
    target = arrays[0]
    if operation.is_binary and arrays[0].dtype is not arrays[1].dtype:
        arrays = promoted(operation, *arrays)
    refuse_overlap(target, *[one._array for one in operands[1:] if isinstance(one, Tensor)])
    try:
        out = np.asarray(quiet.copy().run(operation.forward, *arrays))
    except Exception as error:
        raise refusal(operation, error, operands) from None
    check_broadcast(target.shape, out.shape)
    if not dtypes.can_cast(out.dtype, target.dtype):
        raise RuntimeError(f"result type {dtypes.short_name(out.dtype)} can't be cast to the "
                           f"desired output type {dtypes.short_name(target.dtype)}")
    writeable(target)[...] = out


def check_broadcast(target, source):
    """Refuse to write an array of shape `source` where the shape of the target would broadcast."""
    common = common_shape(target, source)
    if common != target:
        raise RuntimeError(f"output with shape {list(target)} doesn't match the broadcast shape "
                           f"{list(common)}")


def rebase_history(self, node):
    """Make `node`, a write, the latest in the history of `self` or, for a view, of its base."""
    view = self._view
    base, latest = (self, node) if view is None else (view.base, CopySlices(view.base, self, node))
    base._requires_grad, base._node, base._output_nr = True, latest, None
    follow_new_history(base)
    if view is not None:
        view.refresh(self)
        for value in node._kept or ():
            if isinstance(value, SavedResult):
                value.later_grad_fn = weakref.ref(self._node)


class CopySlices(Node):
    """A write to a view, as the base's latest node: only the view's part goes through the write."""
    __module__ = "builtins"             # what type(node) prints
    __slots__ = ("base_geometry", "view_geometry")

    def __init__(self, base, view, write):
        edges = [(gradient_node(base), base._output_nr), *write.next_functions[1:]]
        super().__init__(*zip(*edges), base._array)
        self.base_geometry, self.view_geometry = geometry(base._array), geometry(view._array)
        self._kept = (write,)

    def name(self):
        return "torch::autograd::CopySlices"

    def gradients_as_tensors(self, grad, wanted=None):
        write, = self._kept             # raises the error of a second pass if it was freed
        shape, strides, start = self.base_geometry
        result = wrap(empty_like_layout(shape, strides, self._dtype)).copy_(grad)
        view_grad = result.as_strided(*self.view_geometry[:2], self.view_geometry[2] - start)
        grad_before, *others = write.gradients_as_tensors(view_grad.clone(), wanted)
        if grad_before is None:
            return None, *others
        view_grad.copy_(grad_before)    # the gradient of the view as it was before the write
        return result, *others

    def check_saved(self):
        tuple(self._kept)               # raises the same error
