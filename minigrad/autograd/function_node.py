"""The node of a custom Function, which is also the ``ctx`` of its two methods."""
import numpy as np

from ..errors import type_name
from ..tensor import Tensor, wrap
from .node import Node
from .saved import save_input, save_result, save_values, saved_tensor
from .saved_attributes import saved_tensors_of

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
