"""What happens when an operation is called: compute on arrays; if an input takes a gradient, record a node.

    y = x * w       call -> multiply the arrays -> wrap the result -> record: a node, its edges, what it saves

The functions here make the callable for an operation of one tensor, of two, and of any number.
"""
from __future__ import annotations

from numpy import asarray, ndarray

from .. import dtypes
from ..errors import translated
from ..state import local
from ..tensor import Tensor, mark_inference, wrap
from .node import edges_to, gradient_node
from .saved import WrappedNumber


def call_with_one(operation):
    """For one tensor, perhaps followed by plain arguments, and one result."""
    forward = operation.forward

    def call(self, *args):
        if not isinstance(self, Tensor):
            return on_arrays(operation, (self, *args))
        state = local.state
        try:
            out = state.quiet(forward, self._array, *args)
        except ValueError as error:
            raise translated(error, (self, *args)) from None
        result = wrap(out if type(out) is ndarray else asarray(out))
        if state.inference:
            mark_inference(result)
        elif state.recording and (self._requires_grad if self._view is None else self.requires_grad):
            if result._array.dtype.kind == "f":
                number = self._output_nr
                record(operation, (gradient_node(self),), None if number is None else (number,), (True,),
                       (self, *args, result), result)
        return result
    return call


def call_with_two(operation):
    """For two tensors, or a tensor and a number, and one result."""
    forward = operation.forward

    def call(self, other):
        state = local.state
        if isinstance(self, Tensor) and isinstance(other, Tensor):
            a, b = self._array, other._array
            if a.dtype is not b.dtype:
                if operation.refuse is not None:
                    operation.refuse(a, b)
                a, b = promoted(a, b)
        elif isinstance(self, Tensor) or isinstance(other, Tensor):
            if not isinstance(other if isinstance(self, Tensor) else self, dtypes.NUMBERS):
                return NotImplemented
            if state.in_formula and operation.with_number is not None and isinstance(self, Tensor):
                return operation.with_number(self, other)
            self, other = with_wrapped_number(operation, self, other)
            a, b = promoted(self._array, other._array)
        else:
            return on_arrays(operation, (self, other))
        try:
            out = state.quiet(forward, a, b)
        except ValueError as error:
            raise translated(error, (self, other)) from None
        result = wrap(out if type(out) is ndarray else asarray(out))
        if state.inference:
            mark_inference(result)
        elif state.recording and result._array.dtype.kind == "f":
            first = self._requires_grad if self._view is None else self.requires_grad
            second = other._requires_grad if other._view is None else other.requires_grad
            if first or second:
                children = (gradient_node(self) if first else None,
                            gradient_node(other) if second else None)
                numbers = self._output_nr, other._output_nr
                record(operation, children, None if numbers == SINGLE else numbers, (first, second),
                       (self, other, result), result)
        return result
    return call


SINGLE = (None, None)       # two operands that are each the only output of their node


def call_with_several(operation):
    """For any number of tensors, lists of tensors, and results."""
    tensors = [operation.parameters.index(name) for name in operation.tensors]

    def call(*args):
        state = local.state
        arrays = [arrays_of(value) if i in tensors else value for i, value in enumerate(args)]
        if all([array is value for array, value in zip(arrays, args)]):
            return on_arrays(operation, arrays)
        try:
            out = state.quiet(operation.forward, *arrays)
        except ValueError as error:
            raise translated(error, args) from None
        several = type(out) in (tuple, list)
        results = [wrap(asarray(one)) for one in (out if several else [out])]
        if state.inference:
            for result in results:
                mark_inference(result)
        elif state.recording:
            needed = tuple([takes_gradient(args[i]) for i in operation.positions])
            floating = [one for one in results if one._array.dtype.kind == "f"]
            if True in needed and floating:
                record(operation, *edges_to(inputs_of(operation, args)), needed, (*args, *results),
                       *floating)
        return tuple(results) if several else results[0]
    return call


def on_arrays(operation, args):
    """Call an operation on arrays, as formulas do within a backward pass."""
    if not local.state.pass_depth:
        raise TypeError(f"{operation.name.strip('_')}(): argument 'input' (position 1) must be Tensor, "
                        f"not {type(args[0]).__name__}")
    return operation.forward(*args)


def record(operation, children, output_nrs, needed, values, *results):
    """Make the node of a call and attach it to the results: its edges, and what its formulas need.

    `values` are the call's arguments and results in order.
    """
    first = results[0]
    node = operation.node_type(children, output_nrs, first._array)
    node._plan = plan = operation.plans.get(needed) or operation.plan(*needed)
    first._node = node
    first._requires_grad = True
    if operation.takes_all_grads:
        node._outputs = tuple([(one._array.shape, one._array.dtype) for one in results])
        for number, one in enumerate(results):
            one._requires_grad, one._node, one._output_nr = True, node, number
    if plan.keep is not None:
        plan.keep(node, values)


# --- operands -------------------------------------------------------------------------------------

def with_wrapped_number(operation, self, other):
    """Return a tensor and a number, in either order, with the number as an array beside the tensor."""
    tensor, number = (self, other) if isinstance(self, Tensor) else (other, self)
    if operation.refuse is not None:
        operation.refuse(*[one._array if one is tensor else one for one in (self, other)])
    kind = tensor._array.dtype
    if kind.kind != "f":
        kind = dtypes.promote_number(kind, number)
    number = WrappedNumber(dtypes.number_array(number, kind), number)
    return (tensor, number) if tensor is self else (number, tensor)


def promoted(a, b):
    """Return two arrays in their common dtype."""
    if a.dtype is not b.dtype and a.dtype != b.dtype:
        common = dtypes.result_dtype(a, b)
        a, b = a.astype(common, copy=False), b.astype(common, copy=False)
    return a, b


def takes_gradient(value):
    if isinstance(value, (list, tuple)):
        return any([takes_gradient(one) for one in value])
    return isinstance(value, Tensor) and value.requires_grad


def inputs_of(operation, args):
    """Return the differentiable inputs of a call in one list; None takes no gradient."""
    inputs = []
    for i in operation.positions:
        for one in args[i] if isinstance(args[i], (list, tuple)) else [args[i]]:
            inputs.append(one if takes_gradient(one) else None)
    return inputs


def arrays_of(value):
    """Return a tensor's array, a list of arrays for a list, and anything else as it is."""
    if isinstance(value, (list, tuple)):
        arrays = [arrays_of(one) for one in value]
        return value if all([a is b for a, b in zip(arrays, value)]) else arrays
    return value._array if isinstance(value, (Tensor, WrappedNumber)) else value
