"""In-place operations: writes to memory that several tensors may share, and histories that follow them.

        y = x * 2         v = y[:2]           v.mul_(10)

        x -- Mul -- y     x -- Mul -- y       x -- Mul -- CopySlices -- y
                                      |                        |
                                    Slice -- v             AsStrided -- v

The write goes into the history of the base y; the view v is then taken again from y as it is now.  A tensor
and its views share one version counter, so a view notices, when it is next used, that it must be taken again.
"""
from __future__ import annotations

import weakref

import numpy as np

from .. import dtypes
from ..memory import as_strided_array, empty_like_layout, geometry, partly_the_same, refuse_overlap, writeable
from ..errors import translated
from ..errors import noted
from ..state import local
from ..tensor import UNCOUNTED, Tensor, bump_version, wrap
from .accumulate import NO_EDGE, gradient_edge
from .hooks import follow_new_history
from .nodes import BACKWARD_TWICE, Freed, Node
from .operations import array_of, computed, needed_gradients, promoted, save
from .saved import SavedArray, SavedResult, SavedTensor
from .saving import keep_input

LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
VIEW_OF_LEAF = "a view of a leaf Variable that requires grad is being used in an in-place operation."
OVERLAPS_SOURCE = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
    "memory location. Please clone() the tensor before performing the operation.")


def check_in_place(tensor, tracked):
    """Refuse to write where PyTorch refuses; `tracked`: whether the write would be recorded."""
    if not tracked:
        return
    view = tensor._view
    if view is not None:
        view.check_rewrite(tensor, indirectly=False)
        if tensor.requires_grad and view.base._node is None:
            raise noted(RuntimeError(VIEW_OF_LEAF))
    # as in PyTorch, a view counts as a leaf until the grad_fn is asked for that a write to its base gave it
    if tensor.requires_grad and tensor._node is None:
        raise noted(RuntimeError(LEAF))


def store(tensor, out, repeats=False):
    """Write the array `out` over the tensor's numbers, if shape, dtype and memory allow it.

    `repeats`: also where one element stands in several places, which few operations of PyTorch's do.
    """
    array = tensor._array
    if not repeats:
        refuse_overlap(array)
    if out.shape != array.shape:
        raise RuntimeError(f"output with shape {list(array.shape)} doesn't match the broadcast shape "
                           f"{list(out.shape)}")
    if not dtypes.can_cast(out.dtype, array.dtype):
        raise RuntimeError(f"result type {dtypes.short_name(out.dtype)} can't be cast to the desired output "
                           f"type {dtypes.short_name(array.dtype)}")
    writeable(array)[...] = out


def in_place(function, repeats=False):
    """The in-place form of an operation: the same formulas, with the result written over `self`."""
    operation = function.operation
    forward, name = operation.forward, f"{operation.name.strip('_').removesuffix('_in_place')}_"
    of_two = len(operation.tensors) == 2 and operation.is_plain()

    def call(self, *args):
        if of_two and not isinstance(args[0], OPERANDS):
            return NotImplemented
        operands = [self, *args]
        state = local.state
        needed = needed_gradients(operation, operands)
        tracked = state.recording and True in needed
        check_in_place(self, tracked)
        if tracked and self._array.dtype.kind == "f":
            refuse_inference(operation, operands, needed)
        arrays = prepare(operation, operands, of_two)
        if tracked:
            edges = edges_before(operation, operands)
            needed = computed(needed, edges)
        for other in args:
            if (isinstance(other, Tensor)
                    and (self._view is not None or other._view is not None or self._counter is UNCOUNTED
                         or self._counter is other._counter is not None)
                    and partly_the_same(self._array, other._array)):
                raise RuntimeError(OVERLAPS_SOURCE)
        try:
            out = state.quiet(forward, *arrays)
        except Exception as error:
            raise refused_write(error, operation, operands, name, repeats) from None
        if tracked:
            if operation.parameters[0] in operation.plan(*needed).tensor_names:
                operands[0] = self.clone()
        store(self, np.asarray(out), repeats)
        bump_version(self)
        if tracked:
            record_write(self, operation, operands, needed, edges)
        return self

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"`{name[:-1]}`, written over self."
    call.operation = operation
    return call


def refused_write(error, operation, operands, name, repeats=False):
    """The error to raise where NumPy's, or that of a check, ended an operation in place.

    Like PyTorch, look at the memory before the shapes and before what a kernel says of the dtype.
    """
    self = operands[0]
    if not isinstance(self, Tensor):
        return not_a_tensor(operation, 0, self, name)
    if isinstance(error, (ValueError, NotImplementedError)) and not repeats:
        refuse_overlap(self._array)
    return translated(error, operands) if type(error) is ValueError else error


def refuse_inference(operation, operands, needed):
    """What cannot be saved is refused before anything is written."""
    names = operation.plan(*needed).tensor_names
    for name, value in list(zip(operation.parameters, operands))[1:]:       # of self a copy is saved
        if name in names and isinstance(value, Tensor) and value.is_inference():
            keep_input(value)


OPERANDS = (Tensor, SavedArray, *dtypes.NUMBERS)


def prepare(operation, operands, of_two):
    """The arrays to compute with, in their common dtype; a number among `operands` becomes an array there."""
    arrays = [array_of(v) if parameter in operation.tensors else v
              for parameter, v in zip(operation.parameters, operands)]
    if of_two:
        other = operands[1]
        if operation.refuse is not None:
            operation.refuse(*arrays[:2])
        if isinstance(other, (Tensor, SavedArray)):
            arrays[:2] = promoted(arrays[0], arrays[1])
        else:
            kind = dtypes.promote_number(arrays[0].dtype, other)
            arrays[:2] = arrays[0].astype(kind, copy=False), dtypes.number_array(other, kind)
            operands[1] = SavedArray(arrays[1], other)
    return arrays


def edges_before(operation, operands):
    """Where the gradients go: to the operands as they are before the write."""
    return tuple([gradient_edge(v) if isinstance(v, Tensor) else NO_EDGE
                  for v in (operands[i] for i in operation.positions)])


def record_write(self, operation, operands, needed, edges, lives_on=True):
    """Make the node of a write to `self` the latest in its history; of a view, in that of its base."""
    node = operation.node_type(edges, self._array)
    save(node, operation.plan(*needed), [*operands, self])
    for kept in node._kept or ():
        if type(kept) is SavedTensor and kept.tensor._counter is self._counter:
            kept.version -= 1       # an operand in the same memory is no longer what the formulas need
    rebase_history(self, node, lives_on)


def rebase_history(self, node, lives_on=True):
    """`node` is the write that made `self` what it is now; a view that does not live on needs no history."""
    view = self._view
    if view is None:
        self._requires_grad, self._node, self._output_nr = True, node, 0
        follow_new_history(self)
        return
    base = view.base
    copy_slices = CopySlices(base, self, node)
    base._requires_grad, base._node, base._output_nr = True, copy_slices, 0
    follow_new_history(base)
    if not lives_on:
        return
    view.refresh(self)
    for kept in node._kept or ():
        if isinstance(kept, SavedResult):
            kept.later_grad_fn = weakref.ref(self._node)


class CopySlices(Node):
    """A base after a write to a view: there the gradient goes through the write, elsewhere it passes."""

    __module__ = "builtins"     # as for all nodes: what type(node) shows
    __slots__ = ("base_geometry", "view_geometry", "write")

    def __init__(self, base, view, write):
        super().__init__((gradient_edge(base), *write.next_functions[1:]), base._array)
        *self.base_geometry, start = geometry(base._array)
        shape, strides, offset = geometry(view._array)
        self.view_geometry = shape, strides, offset - start
        self.write = write

    def name(self):
        return "torch::autograd::CopySlices"

    def on_arrays(self, grad, wanted=None):
        if grad is None:
            return (None,) * len(self.next_functions)
        result = empty_like_layout(*self.base_geometry, self._dtype)
        result[...] = grad
        inside = as_strided_array(result, *self.view_geometry)
        if type(self.write) is Freed:
            raise RuntimeError(BACKWARD_TWICE)
        through, *others = self.write.on_arrays(inside.copy(), wanted)
        if through is None:
            return None, *others
        refuse_overlap(inside)
        inside[...] = through
        return result, *others

    def on_tensors(self, grad, wanted=None):
        if grad is None:
            return (None,) * len(self.next_functions)
        result = wrap(empty_like_layout(*self.base_geometry, self._dtype))
        result.copy_(grad)
        inside = result.as_strided(*self.view_geometry)
        if type(self.write) is Freed:
            raise RuntimeError(BACKWARD_TWICE)
        through, *others = self.write.on_tensors(inside.clone(), wanted)
        if through is None:
            return None, *others
        inside.copy_(through)
        return result, *others

    def free(self, freed):
        self.write = self._kept = freed
