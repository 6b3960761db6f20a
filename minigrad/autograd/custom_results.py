"""What becomes of the tensors that a custom Function returned: which of them get its node as their history.

    a new tensor                    the node is its history
    an input, as it came in         an alias of it is returned, whose history is the node
    an input marked dirty           it was written in place: the node continues its history
    marked non-differentiable, or   no history; an input is then returned as an alias
    not of floating point
"""
from __future__ import annotations

import warnings

from ..tensor import Tensor, bump_version
from .grad_mode import no_grad
from .inplace import LEAF, check_in_place, rebase_history
from .views import CUSTOM_FUNCTION, MULTI_OUTPUT

SAVED_INPUT_RETURNED = (
    "An input that has been returned as-is as output is being saved for backward. This is not supported if "
    "you override setup_context. You should return and save a view of the input instead, e.g. with "
    "x.view_as(x) or setup ctx inside the forward function itself.")

NOT_AN_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated "
    "should be passed to ctx.mark_dirty().")

MANY_PURE = (
    "Pure view custom Function can only have one input Tensor and one output Tensor. Open an issue if you "
    "need to support more.")

VIEW_AND_SEVERAL = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
    "return more than one Tensor. This is not supported by the current autograd engine. You should either "
    "make sure the input is not a view (using .clone() for example) or make your Function only return one "
    "Tensor (potentially splitting it into two Functions: one doing the inplace that returns a single Tensor "
    "and a second one that does the other operations). You can ask on the forum https://discuss.pytorch.org/ "
    "if you need help to do this change.")


def attach_results(ctx, results, inputs, executable, separate_setup):
    """Make the tensors among `results` (which is changed) the outputs of `ctx`, as its marks say."""
    without_gradient = marked(ctx.non_differentiable, "mark_non_differentiable only accepts variable "
                                                      "arguments, but got ")
    dirty = marked(ctx.dirty_tensors, "mark_dirty can only accept variables, but argument ")
    given, returned = {id(one) for one in inputs}, {id(one) for one in results}
    for one in ctx.dirty_tensors or ():
        if id(one) not in returned:
            raise RuntimeError("Some elements marked as dirty during the forward method were not returned as "
                               "output. The inputs that are modified inplace must all be outputs of the "
                               "Function.")
        bump_version(one)
    to_save = {id(one) for one in ctx.to_save} if executable and separate_setup and ctx.to_save else ()
    describe(ctx, results, without_gradient)
    if ctx._is_pure_view and (len(inputs) > 1 or sum([isinstance(one, Tensor) for one in results]) > 1):
        raise RuntimeError(MANY_PURE)
    differentiable = 0
    for nr, result in enumerate(results):
        if not isinstance(result, Tensor):
            continue
        is_input, is_dirty = id(result) in given, id(result) in dirty
        takes_gradient = executable and id(result) not in without_gradient and result._array.dtype.kind == "f"
        if not takes_gradient:
            results[nr] = without_history(result, is_input, is_dirty)
        elif is_dirty:
            take_over_written(ctx, result, nr, is_input, len(results))
        else:
            if is_input:
                if id(result) in to_save:
                    raise RuntimeError(SAVED_INPUT_RETURNED)
                results[nr] = alias(result)
            set_history(results[nr], ctx, nr)
        differentiable += takes_gradient
        view = results[nr]._view
        if view is not None and not (is_input and is_dirty):
            view.origin = None if ctx._is_pure_view else CUSTOM_FUNCTION
            view.version = results[nr]._counter.value
    if differentiable > 1:
        for result in results:
            if isinstance(result, Tensor) and result._view is not None:
                result._view.origin = MULTI_OUTPUT


def marked(tensors, refusal):
    """The ids of the tensors that a mark was put on."""
    if not all([isinstance(one, Tensor) for one in tensors or ()]):
        raise RuntimeError(refusal)
    return {id(one) for one in tensors or ()}


def describe(ctx, results, without_gradient):
    """Note what the gradient of each result looks like (None for what is no tensor), and which have none."""
    described = [(one._array.shape, one._array.dtype) if isinstance(one, Tensor) else None for one in results]
    ctx._takes_no_gradient = [
        isinstance(one, Tensor) and (id(one) in without_gradient or one._array.dtype.kind != "f")
        for one in results]
    ctx._shape, ctx._dtype = next(filter(None, described), (ctx._shape, ctx._dtype))
    if len(results) > 1:
        ctx._outputs = tuple(described)


def without_history(result, is_input, is_dirty):
    """A result through which no gradient flows; an input comes back as an alias, unless it was written."""
    if not result.requires_grad:
        return alias(result) if is_input and not is_dirty else result
    if is_input:
        return result.detach()
    return result if result._view is not None else result.detach_()


def alias(tensor):
    with no_grad():
        return tensor.view_as(tensor)


def set_history(tensor, node, nr):
    tensor._requires_grad, tensor._node, tensor._output_nr = True, node, nr


def take_over_written(ctx, result, nr, is_input, count):
    """An output that forward wrote in place continues the history of what it was."""
    if result.requires_grad and result._node is None:
        raise RuntimeError(LEAF.replace("is being used", "has been used"))
    if not is_input:
        if result._view is not None:
            raise RuntimeError(NOT_AN_INPUT)
        warnings.warn(NOT_AN_INPUT, UserWarning, stacklevel=4)
    if result._view is not None and count > 1:
        raise RuntimeError(VIEW_AND_SEVERAL)
    result._grad = None
    check_in_place(result, True)
    rebase_history(result, ctx)
    if result._view is None:
        result._output_nr = nr
