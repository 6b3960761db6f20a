"""What becomes of the tensors that the forward of a custom Function returns.

    a new tensor                    the Function's node becomes its grad_fn
    an input, as it was given       apply returns a view of it, with the node as grad_fn
    an input marked dirty           it was written in place: the node continues its history
    marked non-differentiable, or   it has no history; of an input, apply returns a view
    not of a floating dtype
"""
from __future__ import annotations

import warnings

from ..tensor import Tensor, bump_version
from .inplace import LEAF, check_in_place, rebase_history
from .views import CUSTOM_FUNCTION, MULTI_OUTPUT

NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as output. The "
    "inputs that are modified inplace must all be outputs of the Function.")

SAVED_INPUT_RETURNED = (
    "An input that has been returned as-is as output is being saved for backward. This is not "
    "supported if you override setup_context. You should return and save a view of the input "
    "instead, e.g. with x.view_as(x) or setup ctx inside the forward function itself.")

NOT_AN_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been "
    "mutated should be passed to ctx.mark_dirty().")

VIEW_AND_SEVERAL = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function "
    "cannot return more than one Tensor. This is not supported by the current autograd engine. "
    "You should either make sure the input is not a view (using .clone() for example) or make "
    "your Function only return one Tensor (potentially splitting it into two Functions: one "
    "doing the inplace that returns a single Tensor and a second one that does the other "
    "operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do "
    "this change.")


def attach_outputs(node, outputs, inputs, recording, has_setup):
    """Make the tensors in the list `outputs`, which is changed, the outputs of `node`.

    Called where nothing is recorded.
    """
    given, dirty = ids(inputs), ids(node.dirty_tensors)
    check_marks(node, ids(outputs))
    describe_outputs(node, outputs)
    constant = ids(node.non_differentiable)
    saved = ids(node.to_save) if has_setup else ()
    differentiable = 0
    for nr, output in enumerate(outputs):
        if not isinstance(output, Tensor):
            continue
        is_input, is_dirty = id(output) in given, id(output) in dirty
        if not recording or id(output) in constant or output._array.dtype.kind != "f":
            output = without_history(output, is_input, is_dirty)
        else:
            differentiable += 1
            if is_dirty:
                continue_history(node, output, nr, is_input, len(outputs))
            else:
                if is_input and id(output) in saved:
                    raise RuntimeError(SAVED_INPUT_RETURNED)
                output = output.view_as(output) if is_input else output
                set_history(output, node, nr)
        outputs[nr] = output
        if output._view is not None and not (is_input and is_dirty):
            output._view.origin, output._view.version = CUSTOM_FUNCTION, output._counter.value
    if differentiable > 1:
        for output in outputs:
            if isinstance(output, Tensor) and output._view is not None:
                output._view.origin = MULTI_OUTPUT


def ids(values):
    return {id(one) for one in values if isinstance(one, Tensor)}


def check_marks(node, returned):
    """Refuse what the marks do not allow, and count the writes to what is marked dirty."""
    for tensor in node.non_differentiable:
        if not isinstance(tensor, Tensor):
            raise RuntimeError("mark_non_differentiable only accepts variable arguments, but got ")
    for tensor in node.dirty_tensors:
        if not isinstance(tensor, Tensor):
            raise RuntimeError("mark_dirty can only accept variables, but argument ")
        if id(tensor) not in returned:
            raise RuntimeError(NOT_RETURNED)
        bump_version(tensor)


def describe_outputs(node, outputs):
    """Tell the node the shape and dtype of each output, and None of what is no tensor."""
    looks = [(one._array.shape, one._array.dtype) if isinstance(one, Tensor) else None
             for one in outputs]
    node._shape, node._dtype = next(filter(None, looks), (node._shape, node._dtype))
    node._outputs = tuple(looks) if len(looks) > 1 else None


def set_history(output, node, nr):
    output._requires_grad, output._node = True, node
    output._output_nr = nr if node._outputs else None


def without_history(output, is_input, is_dirty):
    """Return the output, or an alias of an input, without a history."""
    if not output.requires_grad:
        return output.view_as(output) if is_input and not is_dirty else output
    if is_input:
        return output.detach()
    return output if output._view is not None else output.detach_()


def continue_history(node, output, nr, is_input, count):
    """Add `node` to the history that the output had before forward wrote it in place."""
    if output.requires_grad and output._node is None:
        raise RuntimeError(LEAF.replace("is being used", "has been used"))
    if not is_input:
        if output._view is not None:
            raise RuntimeError(NOT_AN_INPUT)
        warnings.warn(NOT_AN_INPUT, UserWarning, stacklevel=4)
    if output._view is not None and count > 1:
        raise RuntimeError(VIEW_AND_SEVERAL)
    output._grad = None
    check_in_place(output, True)
    rebase_history(output, node)
    if output._view is None:
        output._output_nr = nr if node._outputs else None
