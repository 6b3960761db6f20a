"""What becomes of the tensors that the forward of a custom Function returns.

    a new tensor                    the Function's node becomes its grad_fn
    an input, as it was given       apply returns a view of it, with the node as grad_fn
    an input marked dirty           it was written in place; its history goes on
    constant, by mark or by dtype   it has no history; of an input, apply returns a view
"""
from ..errors import warn
from ..tensor import Tensor, bump_version
from .inplace import LEAF, check_in_place, rebase_history
from .views import CUSTOM_FUNCTION, MULTI_OUTPUT

WRONG_CONSTANT = "mark_non_differentiable only accepts variable arguments, but got "
WRONG_DIRTY = "mark_dirty can only accept variables, but argument "
NOT_RETURNED = (
    "Some elements marked as dirty during the forward method were not returned as "
    "output. The inputs that are modified inplace must all be outputs of the "
    "Function.")
SAVED_INPUT_RETURNED = (
    "An input that has been returned as-is as output is being saved for backward. "
    "This is not supported if you override setup_context. You should return and "
    "save a view of the input instead, e.g. with x.view_as(x) or setup ctx inside "
    "the forward function itself.")
NOT_AN_INPUT = (
    "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that "
    "have been mutated should be passed to ctx.mark_dirty().")
VIEW_AND_SEVERAL = (
    "If your Function modifies inplace an input that is a view of another Tensor, "
    "your Function cannot return more than one Tensor. This is not supported by "
    "the current autograd engine. You should either make sure the input is not a "
    "view (using .clone() for example) or make your Function only return one "
    "Tensor (potentially splitting it into two Functions: one doing the inplace "
    "that returns a single Tensor and a second one that does the other "
    "operations). You can ask on the forum https://discuss.pytorch.org/ if you "
    "need help to do this change.")


def attach_outputs(node, outputs, inputs, recording, has_setup):
    """Make tensors the outputs of `node`; change the list to what apply returns."""
    check_marks(node, outputs)
    for tensor in node.dirty_tensors:
        bump_version(tensor)
    describe_outputs(node, outputs)
    given, dirty = ids(inputs), ids(node.dirty_tensors)
    constant = ids(node.non_differentiable)
    for nr, output in enumerate(outputs):
        if not isinstance(output, Tensor):
            continue
        is_input, is_dirty = id(output) in given, id(output) in dirty
        is_constant = id(output) in constant or output._array.dtype.kind != "f"
        if is_constant or not recording:
            output = without_history(output, is_input, is_dirty)
        elif is_dirty:
            continue_history(output, node, nr, is_input)
        else:
            if is_input and has_setup and id(output) in ids(node.to_save):
                raise RuntimeError(SAVED_INPUT_RETURNED)
            output = start_history(output, node, nr, is_input)
        outputs[nr] = output
        if output._view is not None and not (is_input and is_dirty):
            output._view.restriction = CUSTOM_FUNCTION
            output._view.version = output._counter.value
    mark_views(node, outputs)


def ids(values):
    return {id(value) for value in values}


def check_marks(node, outputs):
    """Refuse marks on anything but tensors, and dirty ones that are not returned."""
    if not all([isinstance(value, Tensor) for value in node.non_differentiable]):
        raise RuntimeError(WRONG_CONSTANT)
    if not all([isinstance(value, Tensor) for value in node.dirty_tensors]):
        raise RuntimeError(WRONG_DIRTY)
    if not ids(node.dirty_tensors) <= ids(outputs):
        raise RuntimeError(NOT_RETURNED)


def describe_outputs(node, outputs):
    """Tell the node the shapes and dtypes of the gradients that it will receive."""
    described = [
        (one._array.shape, one._array.dtype) if isinstance(one, Tensor) else None
        for one in outputs]
    tensors = [pair for pair in described if pair is not None]
    if tensors:
        node._shape, node._dtype = tensors[0]
    if len(outputs) > 1:
        node._outputs = tuple(described)


def without_history(output, is_input, is_dirty):
    """Return the output, or an alias of an input, without a history."""
    if is_input and output.requires_grad:
        return output.detach()
    if is_input and not is_dirty:
        return output.view_as(output)
    if output.requires_grad and output._view is None:
        return output.detach_()
    return output


def start_history(output, node, nr, is_input):
    """Return the output, or a view of an input, with `node` as its grad_fn."""
    if is_input:
        output = output.view_as(output)
    output._requires_grad = True
    output._node = node
    output._output_nr = nr if node._outputs else None
    return output


def continue_history(output, node, nr, is_input):
    """Add `node` to the history that the output had before it was written."""
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


def mark_views(node, outputs):
    """Note on the views among the node's outputs what forbids to write to them."""
    attached = [output for output in outputs
                if isinstance(output, Tensor) and output._node is node]
    for output in attached:
        if output._view is not None:
            several = len(attached) > 1
            output._view.restriction = MULTI_OUTPUT if several else CUSTOM_FUNCTION
