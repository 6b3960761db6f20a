"""What stands beside a tensor: numbers made into tensors, dtypes made alike, and PyTorch's words for what is
refused."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import OperationNode, differentiable
from ..messages import argument_must_be
from ..tensor import Tensor, wrap
from ..warn import warn


def alike(*arrays):
    """Arrays in their common dtype."""
    first = arrays[0].dtype
    if all([a.dtype is first for a in arrays]):
        return arrays
    common = dtypes.result_dtype(*arrays)
    return [a.astype(common, copy=False) for a in arrays]


def or_not_implemented(function):
    """An operator's form of a function: of a strange operand it says NotImplemented, and Python asks the
    other one."""
    def operator(self, other):
        if not isinstance(other, (Tensor, *dtypes.NUMBERS)):
            return NotImplemented
        return function(self, other)
    return operator


def checked(result, name, other):
    if result is NotImplemented:
        raise argument_must_be(name, "other", 1, other)
    return result


def as_first(self, other, name):
    """The first operand of a function such as ``torch.add``, which may be a number."""
    if not isinstance(self, Tensor) and not isinstance(other, Tensor):
        if isinstance(self, dtypes.NUMBERS) and isinstance(other, dtypes.NUMBERS):
            return wrap(np.asarray(self, dtypes.of_number(self)))
        raise argument_must_be(name, "input", 0, self)
    if not isinstance(self, (Tensor, *dtypes.NUMBERS)):
        raise argument_must_be(name, "input", 0, self)
    return self


def number_first(name, number, more):
    """(other, alpha) from the old order of arguments, ``x.add_(alpha, other)``."""
    if len(more) != 1 or not isinstance(number, dtypes.NUMBERS):
        raise TypeError(f"{name}() takes 1 positional argument but {1 + len(more)} were given")
    warn_of_old_order(f"{name}(Number alpha, Tensor other)", f"{name}(Tensor other, *, Number alpha = 1)")
    return more[0], number


def warn_of_old_order(old, new):
    """PyTorch warns of this once, whichever function it was."""
    if not OldOrder.warned:
        OldOrder.warned = True
        name = old.partition("(")[0]
        warn(f"This overload of {name} is deprecated:\n\t{old}\nConsider using one of the following "
             f"signatures instead:\n\t{new}")


class OldOrder:
    warned = False


def as_tensors(self, other, name, alpha=1):
    """A tensor and a tensor or number as two tensors; `alpha` is checked in passing."""
    if type(self) is type(other) is Tensor and type(alpha) is float and self._array.dtype.kind == "f":
        return self, other                          # the common case: nothing to check
    if not isinstance(alpha, dtypes.NUMBERS):
        raise TypeError(f"{name}(): argument 'alpha' must be Number, not {type(alpha).__name__}")
    self = as_first(self, other, name)
    kind = dtypes.result_dtype(*[v._array if isinstance(v, Tensor) else v for v in (self, other)
                                 if isinstance(v, (Tensor, *dtypes.NUMBERS))]).kind
    if isinstance(alpha, float) and kind != "f":
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, bool) and kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    return as_tensor(self, other, name), as_tensor(other, self, name)


def as_tensor(value, beside, name):
    """A number becomes a tensor of the dtype that it has beside the other operand."""
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, dtypes.NUMBERS):
        raise argument_must_be(name, "other", 1, value)
    kind = dtypes.promote_number(beside._array.dtype, value)
    return wrap(dtypes.number_array(value, kind))


def without_loose_ends(node, edges, result):
    """Such a node knows only the inputs that take a gradient."""
    OperationNode.__init__(node, tuple([edge for edge in edges if edge[0] is not None]), result)


def not_differentiable(name, *tensors):
    """Mark an operation for which PyTorch has no derivative: the backward pass fails when it arrives
    there."""
    def formula(grad):
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    def decorate(forward):
        function = differentiable("NotImplemented", **dict.fromkeys(tensors, formula))(forward)
        node_type = function.operation.node_type
        node_type.name = lambda node: "torch::autograd::NotImplemented"
        node_type.__init__ = without_loose_ends
        return function
    return decorate
