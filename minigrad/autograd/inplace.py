"""Views and in-place operations: one piece of memory under several tensors, and histories that follow its
writes.

        y = x * 2         v = y[:2]           v.mul_(10)

        x -- Mul -- y     x -- Mul -- y       x -- Mul -- CopySlices -- y
                                      |                        |
                                    Slice -- v             AsStrided -- v

The write goes into the history of the base y; the view v is then taken again from y as it is now.  A tensor
and its views share one version counter, so a view notices, when it is next used, that it must be taken again.
"""
from __future__ import annotations

import weakref
from functools import wraps

import numpy as np
from numpy import ndarray

from .. import dtypes
from ..memory import as_strided_array, empty_like_layout, geometry, partly_the_same, refuse_overlap, writeable
from ..messages import not_a_tensor, translated
from ..notes import noted
from ..tensor import UNCOUNTED, Tensor, VersionCounter, bump_version, mark_inference, wrap
from .grad_mode import local
from .hooks import follow_new_history
from .nodes import BACKWARD_TWICE, NO_EDGE, Freed, Node, SavedResult, SavedTensor, gradient_edge, short_name
from .operations import array_of, ask_for_histories, computed, needed_gradients, promoted, save
from .saving import SavedArray, keep_input
from .strided import take_again

# How a view came to be, where that restricts what may be done with it.
new = Tensor.__new__

NO_GRAD, INFERENCE, MULTI_OUTPUT, CUSTOM_FUNCTION = "no_grad", "inference", "multi-output", "custom Function"

LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
VIEW_OF_LEAF = "a view of a leaf Variable that requires grad is being used in an in-place operation."
OVERLAPS_SOURCE = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
    "memory location. Please clone() the tensor before performing the operation.")


class View:
    """That a tensor is a view of `base`, never itself a view, and for which version of the memory its grad_fn
    holds."""

    __slots__ = ("base", "origin", "version")

    def __init__(self, base, origin, version):
        self.base = base
        self.origin = origin        # None, or one of the four above
        self.version = version

    def refresh(self, view):
        """After a write to the shared memory, a view's history is: take this view of the base as it is
        now.

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


# --- views --------------------------------------------------------------------------------------------------

def shares_memory(operation):
    """Mark an operation whose result, or each of whose results, shares its input's memory."""
    if operation.operation.is_plain():
        return quick_view(operation)

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


def quick_view(function):
    """The same for one tensor and one result, in one function, as views are taken so often."""
    operation = function.operation
    forward = operation.forward
    plan = node_type = save = keep_constants = None     # made when the first node is recorded

    @wraps(function)
    def view_operation(self, *args):
        nonlocal plan, node_type, save, keep_constants
        if type(self) is not Tensor:
            return forward(self, *args) if type(self) is ndarray else plain_view(self, *args)
        try:
            array = forward(self._array, *args)
        except Exception as error:
            if type(error) is not IndexError:       # of x[5], which Python code looks at first
                ask_for_histories((self,))
            if type(error) is ValueError:
                error = translated(error, operation, (self, *args))
            raise error from None
        result = new(Tensor)
        result._array = array
        result._requires_grad = False
        result._node = result._grad = result._extra = None
        result._output_nr = 0
        view, counter, extra = self._view, self._counter, self._extra
        if counter is None:
            counter = self._counter = VersionCounter()
        result._counter = counter
        if not local.state.recording or extra is not None and extra.inference:
            result._view = None
            make_view(result, self)
            return result
        if view is None:
            result._view = View(self, None, counter.value)
            needed = self._requires_grad
        else:
            result._view = View(view.base, view.origin, counter.value)
            needed = view.refresh(self)
        if needed and array.dtype.kind == "f":
            if plan is None:
                plan, node_type = operation.plan(True), operation.node_type
                save, keep_constants = plan.save, plan.keep_constants
            edge = (self._node, self._output_nr) if self._node is not None else gradient_edge(self)
            result._node = node = node_type((edge,), array)
            result._requires_grad = True
            node._plan = plan
            if save is not None:
                node._kept = save((self, *args, result))
            if keep_constants is not None:
                node.constants = keep_constants((self, *args, result))
        return result

    def plain_view(self, *args):
        result = function(self, *args)
        if isinstance(result, Tensor):
            make_view(result, self)
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


# --- writing ------------------------------------------------------------------------------------------------

def check_in_place(tensor, tracked):
    """Refuse to write where PyTorch refuses; `tracked`: whether the write would be recorded."""
    if not tracked:
        return
    view = tensor._view
    if view is not None:
        view.check_rewrite(tensor, indirectly=False)
        if tensor.requires_grad and view.base._node is None:
            raise noted(RuntimeError(VIEW_OF_LEAF))
    # as in PyTorch a view counts as a leaf until somebody asks for the grad_fn that a write to its base gave
    # it
    if tensor.requires_grad and tensor._node is None:
        raise noted(RuntimeError(LEAF))


def store(tensor, out, name, repeats=False):
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
            raise refused_write(error, operation, operands, name) from None
        if tracked:
            if operation.parameters[0] in operation.plan(*needed).tensor_names:
                operands[0] = self.clone()
        store(self, np.asarray(out), name, repeats)
        bump_version(self)
        if tracked:
            record_write(self, operation, operands, needed, edges)
        return self

    call.__name__ = call.__qualname__ = name
    call.operation = operation
    return call


def refused_write(error, operation, operands, name):
    """The error to raise when NumPy's, or a check, ended an operation in place: like PyTorch, look at the
    memory before the shapes and before what a kernel says of the dtype."""
    self = operands[0]
    if not isinstance(self, Tensor):
        return not_a_tensor(operation, 0, self, name)
    if isinstance(error, (ValueError, NotImplementedError)):
        refuse_overlap(self._array)
    return translated(error, operation, operands) if type(error) is ValueError else error


def refuse_inference(operation, operands, needed):
    """What cannot be saved is refused before anything is written."""
    names = operation.plan(*needed).tensor_names
    for name, value in list(zip(operation.parameters, operands))[1:]:       # of self a copy is saved
        if name in names and isinstance(value, Tensor) and value.is_inference():
            keep_input(value)


OPERANDS = (Tensor, SavedArray, *dtypes.NUMBERS)


def prepare(operation, operands, of_two):
    """The arrays to compute with, in the dtype of their meeting; numbers in `operands` become arrays in
    passing."""
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
    """Make the node of an in-place operation the latest in the history of `self`, and of its base if it is a
    view."""
    node = operation.node_type(edges, self._array)
    node._plan = operation.plan(*needed)
    save(node, operands, [self])
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
    """A base after a view of it was written: inside the view the gradient goes through the write, outside it
    passes."""

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
