"""Quotients rounded down: ``//``, for which PyTorch has no gradient."""
import numpy as np

from ..autograd.operation import differentiable
from ..ops.arithmetic import prepare_division
from ..ops.declaring import declining, with_in_place_form
from ..tensor import Tensor


def declare_floor_division(name):
    """Declare ``//``, whose backward pass refuses with this name."""
    def refuse_gradient(grad):
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    def compute(self, other):
        return np.floor_divide(*prepare_division(self, other))

    def declare_for(first, second):
        node_name = "torch::autograd::NotImplemented"
        return differentiable(node_name, self=first, other=second)(compute)

    # The node has edges only to operands that take a gradient.
    of_first = declare_for(refuse_gradient, None)
    of_second = declare_for(None, refuse_gradient)
    of_both = declare_for(refuse_gradient, refuse_gradient)
    # It also refuses where no gradient has arrived, or none is wanted.
    for function in (of_first, of_second, of_both):
        function.operation.node_type._unpack = refuse_gradient

    @with_in_place_form
    def floor_divide(self, other):
        """Return self / other rounded down, as ``//`` does; it has no gradient."""
        first, second = [
            isinstance(x, Tensor) and x.requires_grad for x in (self, other)]
        if first and second:
            return of_both, self, other
        return of_second if second else of_first, self, other

    return floor_divide


floor_divide = declare_floor_division("floor_divide")
floor_divide.in_place = declare_floor_division("floor_divide_").in_place

IN_PLACE = METHODS = "floor_divide"
ATTRIBUTES = {
    "__floordiv__": declining(floor_divide),
    "__rfloordiv__": declining(lambda self, number: floor_divide(number, self)),
    "__ifloordiv__": declining(floor_divide.in_place),
}
