"""The node of a custom Function, which is also the ``ctx`` of its two methods."""
import numpy as np

from ..errors import type_name, warn
from ..tensor import Tensor, bump_version, wrap
from .inplace import LEAF, check_in_place, rebase_history
from .node import Node
from .saved import save_input, save_result, save_values, saved_tensor
from .saved_attributes import saved_tensors_of
from .views import CUSTOM_FUNCTION, MULTI_OUTPUT

NOT_CALLABLE = "'{}' object is not callable"
CANNOT_SAVE = (
    "save_for_backward can only save variables, but argument {} is of type {}")
WRONG_COUNT = (
    "function {} returned an incorrect number of gradients (expected {}, got {})")
NOT_FOR_A_TENSOR = (
    "function {} returned a gradient different than None at position {}, but the "
    "corresponding forward input was not a Variable")


class FunctionNode(Node):
    """What ``apply`` records; every Function has a subclass of its own.

    The user may keep more on ``ctx``, under any name without an underscore.
    """

    to_save = ()
    dirty_tensors = ()
    non_differentiable = ()
    materialize_grads = True
    _none_gives_none = False        # backward runs also if no gradient has arrived

    def __init__(self, args):
        super().__init__((), None, np.float32(0))       # there is no output yet
        self._is_tensor = [isinstance(arg, Tensor) for arg in args]
        self.needs_input_grad = tuple([
            is_tensor and arg.requires_grad
            for arg, is_tensor in zip(args, self._is_tensor)])

    def __call__(self, *grads):
        raise TypeError(NOT_CALLABLE.format(type(self).__name__))

    def apply(self, *grads):
        """Return what ``backward`` returns for these gradients, without any checks."""
        return self._forward_cls._gradient_method()(self, *grads)

    def save_for_backward(self, *tensors):
        """Save tensors (or None) for ``backward``, as ``ctx.saved_tensors``.

        The last call counts.  To write to one of them later is an error in backward.
        """
        self.to_save = tensors

    def mark_dirty(self, *args):
        """Name the inputs that ``forward`` writes in place; it must return them."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args):
        """Name the outputs that do not require a gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value):
        """Let ``backward`` receive zeros (True) or None where no gradient arrived."""
        self.materialize_grads = value

    @property
    def saved_tensors(self):
        """The tensors that ``save_for_backward`` saved, each with its history."""
        values = self._values or ()
        return tuple([saved_tensor(self, i, False) for i, _ in enumerate(values)])

    @property
    def _raw_saved_tensors(self):
        return saved_tensors_of(self, self)

    def _save(self, outputs):
        """Save what forward asked for, once it has returned these outputs."""
        for i, value in enumerate(self.to_save):
            if value is not None and not isinstance(value, Tensor):
                kind = type(value).__name__
                raise TypeError(CANNOT_SAVE.format(i, kind))
        if not self.to_save:
            return
        results = [id(output) for output in outputs
                   if isinstance(output, Tensor) and output.requires_grad]
        save_values(self, [
            save_result(value) if id(value) in results else save_input(value)
            for value in self.to_save])

    def _forget_marks(self):
        """Keep alive no tensor that forward has named but not saved."""
        self.to_save = self.dirty_tensors = self.non_differentiable = ()

    def _gradients_of_tensors(self, grad, wanted=None):
        """Call ``backward``; return the gradients of those inputs that are tensors."""
        grads = [grad] if self._outputs is None else list(grad)
        if self.materialize_grads:
            outputs = self._describe_outputs()
            grads = [materialized(*pair) for pair in zip(grads, outputs)]
        results = self.apply(*grads)
        if not isinstance(results, tuple):
            results = (results,)
        count = len(self._is_tensor)
        surplus = [result for result in results[count:] if result is not None]
        if len(results) < count or surplus:
            raise RuntimeError(WRONG_COUNT.format(self.name(), count, len(results)))
        return self._checked(results)

    def _checked(self, results):
        """Return the gradients of the inputs that are tensors; refuse any other."""
        gradients = []
        for i, is_tensor in enumerate(self._is_tensor):
            result = results[i]
            if is_tensor:
                gradients.append(result)
            elif result is not None:
                raise RuntimeError(NOT_FOR_A_TENSOR.format(self.name(), i + 1))
            if result is not None and not isinstance(result, Tensor):
                kind = type_name(result)
                raise RuntimeError(f"expected Variable or None (got {kind})")
        return tuple(gradients)


def materialized(grad, output):
    """Return a gradient, or zeros for None; None for an output that is no tensor."""
    if grad is None and output is not None:
        shape, dtype = output
        return wrap(np.zeros(shape, dtype))
    return grad


# --- what forward returned -----------------------------------------------------------
# a new tensor                    the Function's node becomes its grad_fn
# an input, as it was given       apply returns a view of it, with the node as grad_fn
# an input marked dirty           it was written in place; its history goes on
# constant, by mark or by dtype   it has no history; of an input, apply returns a view

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
