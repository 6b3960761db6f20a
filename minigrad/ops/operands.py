"""What stands beside a tensor: numbers made into tensors, dtypes made alike, and what is refused."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.accumulate import NO_EDGE
from ..autograd.differentiable import OperationNode, differentiable
from ..autograd.saved import SavedArray
from ..memory import cast_in_place, refuse_overlap
from ..messages import argument_must_be, broadcast_error, not_implemented_for
from ..tensor import Tensor, wrap
from ..warn import warn


def alike(*arrays):
    """Arrays in their common dtype."""
    first = arrays[0].dtype
    if all([a.dtype is first for a in arrays]):
        return arrays
    common = dtypes.result_dtype(*arrays)
    return [a if a.dtype is common else cast_in_place(a, common) for a in arrays]


def or_not_implemented(function):
    """An operator's form of a function: NotImplemented of a strange operand, so that Python asks that one."""
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
    """A tensor and a tensor or number as two of them; `alpha` is checked in passing."""
    if type(self) is type(other) is Tensor and type(alpha) is float and self._array.dtype.kind == "f":
        return self, other                          # the common case: nothing to check
    if isinstance(alpha, Tensor) and not alpha._array.ndim and not alpha.requires_grad:
        alpha = alpha._array.item()
    if not isinstance(alpha, dtypes.NUMBERS):
        raise TypeError(f"{name}(): argument 'alpha' must be Number, not {type(alpha).__name__}")
    self = as_first(self, other, name)
    result = dtypes.result_dtype(*[v._array if isinstance(v, Tensor) else v for v in (self, other)
                                   if isinstance(v, (Tensor, *dtypes.NUMBERS))])
    kind = result.kind
    if name[-1] == "_" and not dtypes.can_cast(result, self._array.dtype):
        return as_tensor(self, other, name), as_tensor(other, self, name)   # refused before alpha
    if isinstance(alpha, float) and kind != "f" or isinstance(alpha, bool) and kind != "b":
        shapes_first(self, other, name)
    if isinstance(alpha, float) and kind != "f":
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, bool) and kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    return as_tensor(self, other, name), as_tensor(other, self, name)


def shapes_first(self, other, name):
    """Before it minds alpha, PyTorch looks at the memory that is to be written, and at the shapes."""
    if name[-1] == "_":
        refuse_overlap(self._array)
    if isinstance(self, Tensor) and isinstance(other, Tensor):
        refusal = broadcast_error(self._array.shape, other._array.shape)
        if refusal:
            raise refusal


def as_tensor(value, beside, name):
    """A number becomes an array of its dtype beside the other operand, and is shown, if saved, as it was."""
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, dtypes.NUMBERS):
        raise argument_must_be(name, "other", 1, value)
    kind = dtypes.promote_number(beside._array.dtype, value)
    return SavedArray(dtypes.number_array(value, kind), value)


def float_only(array, kernel):
    """Refuse whole numbers and booleans, for which PyTorch has no such `kernel`."""
    if array.dtype.kind != "f":
        raise not_implemented_for(kernel, array.dtype)


def not_bool(array, kernel):
    """Refuse booleans, for which PyTorch has no such `kernel`; return the array."""
    if array.dtype.kind == "b":
        raise not_implemented_for(kernel, array.dtype)
    return array


def without_loose_ends(node, edges, result):
    """Such a node knows only the inputs that take a gradient."""
    OperationNode.__init__(node, tuple([edge for edge in edges if edge is not NO_EDGE]), result)
    node.sequence_nr = float("inf")         # it runs, and fails, as soon as it is ready


def not_differentiable(name, *tensors, **others):
    """Mark an operation that has no derivative in PyTorch: a backward pass that arrives there fails.

    `others`: the tensors that take no gradient anyway, such as indices, each as ``index=None``.
    """
    def formula(grad):
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    def decorate(forward):
        function = differentiable("NotImplemented", **dict.fromkeys(tensors, formula), **others)(forward)
        always = function.operation.plan(*[True] * len(tensors))
        function.operation.plan = lambda *needed: always        # it fails wherever gradients would go
        node_type = function.operation.node_type
        node_type.name = lambda node: "torch::autograd::NotImplemented"
        node_type.__init__ = without_loose_ends
        return function
    return decorate
