"""What becomes of the tensors that the forward of a custom Function returns.

    a new tensor                    the Function's node becomes its grad_fn
    an input, as it was given       apply returns a view of it, with the node as grad_fn
    an input marked dirty           it was written in place: the node continues its history
    constant, by mark or by dtype   it has no history; of an input, apply returns a view
"""
from ..errors import warn
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
    "cannot return more than one Tensor. This is not supported by the current autograd engine. You "
    "should either make sure the input is not a view (using .clone() for example) or make your "
    "Function only return one Tensor (potentially splitting it into two Functions: one doing the "
    "inplace that returns a single Tensor and a second one that does the other operations). You "
    "can ask on the forum https://discuss.pytorch.org/ if you need help to do this change.")


def attach_outputs(node, outputs, inputs, recording, has_setup):
    """Make the tensors in the list `outputs`, which is changed, the outputs of `node`."""
    if not all([isinstance(one, Tensor) for one in node.non_differentiable]):
        raise RuntimeError("mark_non_differentiable only accepts variable arguments, but got ")
    if not all([isinstance(one, Tensor) for one in node.dirty_tensors]):
        raise RuntimeError("mark_dirty can only accept variables, but argument ")
    given, dirty, constant = ids(inputs), ids(node.dirty_tensors), ids(node.non_differentiable)
    if not dirty <= ids(outputs):
        raise RuntimeError(NOT_RETURNED)
    for tensor in node.dirty_tensors:
        bump_version(tensor)
    looks = [(x._array.shape, x._array.dtype) if isinstance(x, Tensor) else None for x in outputs]
    node._shape, node._dtype = next(filter(None, looks), (node._shape, node._dtype))
    node._outputs = tuple(looks) if len(looks) > 1 else None
    for nr, output in enumerate(outputs):
        if not isinstance(output, Tensor):
            continue
        is_input, is_dirty = id(output) in given, id(output) in dirty
        if not recording or id(output) in constant or output._array.dtype.kind != "f":
            output = without_history(output, is_input, is_dirty)
        elif is_dirty:
            continue_history(output, node, nr, is_input)
        else:
            if is_input and has_setup and id(output) in ids(node.to_save):
                raise RuntimeError(SAVED_INPUT_RETURNED)
            output = output.view_as(output) if is_input else output
            output._requires_grad, output._node = True, node
            output._output_nr = nr if node._outputs else None
        outputs[nr] = output
        if output._view is not None and not (is_input and is_dirty):
            output._view.origin, output._view.version = CUSTOM_FUNCTION, output._counter.value
    attached = [one for one in outputs if isinstance(one, Tensor) and one._node is node]
    for view in [one._view for one in attached if one._view is not None]:
        view.origin = MULTI_OUTPUT if len(attached) > 1 else CUSTOM_FUNCTION


def ids(values):
    return {id(one) for one in values}


def without_history(output, is_input, is_dirty):
    """Return the output, or an alias of an input, without a history."""
    if is_input and output.requires_grad:
        return output.detach()
    if is_input and not is_dirty:
        return output.view_as(output)
    return output.detach_() if output.requires_grad and output._view is None else output


def continue_history(output, node, nr, is_input):
    """Add `node` to the history that the output had before forward wrote it in place."""
    if output.requires_grad and output._node is None:
        raise RuntimeError(LEAF.replace("is being used", "has been used"))
    if output._view is not None and not is_input:
        raise RuntimeError(NOT_AN_INPUT)
    if output._view is not None and node._outputs:
        raise RuntimeError(VIEW_AND_SEVERAL)
    if not is_input:
        warn(NOT_AN_INPUT)
    output._grad = None
    check_in_place(output)
    rebase_history(output, node)
    if output._view is None and node._outputs:
        output._output_nr = nr
