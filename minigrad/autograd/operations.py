"""What happens when an operation is called: compute on arrays; if an input takes a gradient, record a node."""
from __future__ import annotations

from numpy import asarray, ndarray

from .. import dtypes
from ..errors import translated
from ..state import local
from ..tensor import Tensor, mark_inference, wrap
from .accumulate import NO_EDGE, gradient_edge
from .saved import SavedArray


def of_one(operation):
    """For one tensor, perhaps followed by plain arguments, and one result."""
    forward = operation.forward

    def call(self, *args):
        state = local.state
        if not isinstance(self, Tensor):
            return on_arrays(operation, state, (self, *args))
        try:
            out = state.quiet(forward, self._array, *args)
        except Exception as error:
            out = once_more(error, operation, (self, *args), (self._array, *args))
        result = wrap(out if type(out) is ndarray else asarray(out))
        if state.inference:
            mark_inference(result)
        elif state.recording and (self._requires_grad if self._view is None else self.requires_grad):
            if result._array.dtype.kind == "f":
                record(operation, (gradient_edge(self),), (True,), (self, *args, result), result)
            elif operation.needs_float:
                raise RuntimeError("Autograd not support dtype: " + dtypes.short_name(result._array.dtype))
        return result
    return call


def of_two(operation):
    """For two tensors, or a tensor and a number, and one result."""
    forward = operation.forward

    def call(self, other):
        state = local.state
        if type(self) is Tensor and type(other) is Tensor:
            a, b = self._array, other._array
            if a.dtype is not b.dtype:
                if operation.refuse is not None:
                    operation.refuse(a, b)
                a, b = promoted(a, b)
        elif isinstance(self, Tensor) or isinstance(other, Tensor):
            if (operation.with_number is not None and state.in_formula is not None
                    and isinstance(other, dtypes.NUMBERS)):
                return operation.with_number(self, other)
            if operation.refuse is not None:
                operation.refuse(array_of(self), array_of(other))
            operands = unlike(self, other)
            if operands is NotImplemented:
                return NotImplemented
            self, other, a, b = operands
        else:
            return on_arrays(operation, state, (self, other))
        try:
            out = state.quiet(forward, a, b)
        except Exception as error:
            out = once_more(error, operation, (self, other), (a, b))
        result = wrap(out if type(out) is ndarray else asarray(out))
        if state.inference:
            mark_inference(result)
        elif state.recording and result._array.dtype.kind == "f":
            first = self._requires_grad if self._view is None else self.requires_grad
            second = other._requires_grad if other._view is None else other.requires_grad
            if first or second:
                edges = gradient_edge(self) if first else NO_EDGE, gradient_edge(other) if second else NO_EDGE
                record(operation, edges, (first, second), (self, other, result), result)
        return result
    return call


def of_several(operation):
    """For any number of tensors, lists of tensors, and results."""
    positions = [operation.parameters.index(name) for name in operation.tensors]

    def call(*args):
        state = local.state
        if not any([holds_tensor(args[i]) for i in positions]):
            return on_arrays(operation, state, args)
        arrays = [array_of(value) if i in positions else value for i, value in enumerate(args)]
        try:
            out = state.quiet(operation.forward, *arrays)
        except Exception as error:
            out = once_more(error, operation, args, arrays)
        several = type(out) in (tuple, list)
        results = [wrap(asarray(o)) for o in (out if several else [out])]
        if state.inference:
            for result in results:
                mark_inference(result)
        elif state.recording:
            needed = needed_gradients(operation, args)
            floating = [r for r in results if r._array.dtype.kind == "f"]
            if True in needed and floating:
                edges = edges_of(operation, args)
                node = record(operation, edges, needed, (*args, *results), *floating)
            elif True in needed and operation.needs_float:
                raise RuntimeError("Autograd not support dtype: " + dtypes.short_name(results[0]._array.dtype))
        return tuple(results) if several else results[0]
    return call


def record(operation, edges, needed, values, *results):
    """Leave a node: the history of the results, with what its formulas need of the call's values."""
    first = results[0]
    first._node = node = operation.node_type(edges, first._array)
    first._requires_grad = True
    if operation.takes_all_grads:
        node._outputs = tuple([(r._array.shape, r._array.dtype) for r in results])
        for number, result in enumerate(results):
            result._requires_grad, result._node, result._output_nr = True, node, number
    save(node, operation.plans.get(needed) or operation.plan(*needed), values)
    return node


def once_more(error, operation, values, arrays):
    """What an operation gives after all, if a 0-d tensor was in the place of a number; or its error in PyTorch's
    words."""
    numbers = without_tensors(arrays)
    if numbers is None:
        raise translated(error, values) if type(error) is ValueError else error from None
    return local.state.quiet(operation.forward, *numbers)


def on_arrays(operation, state, args):
    """A formula at work on arrays."""
    if not state.pass_depth:
        raise TypeError(f"{operation.name.strip('_')}(): argument 'input' (position 1) must be Tensor, not "
                        f"{type(args[0]).__name__}")
    return operation.forward(*args)


def without_tensors(values):
    """The values with numbers in place of 0-d tensors, which may stand for them; None if there are none."""
    numbers = [v.item() if isinstance(v, Tensor) and not v._array.ndim and not v.requires_grad else v for v in values]
    return numbers if any([a is not b for a, b in zip(numbers, values)]) else None


def ask_for_histories(operands):
    """A stale view that may not be taken again speaks first."""
    if local.state.recording:
        for value in operands:
            if isinstance(value, Tensor) and value.requires_grad:
                gradient_edge(value)


def unlike(self, other):
    """A tensor and a number, or two tensors, as (self, other, array of self, array of other) in one dtype;
    NotImplemented if one of them has no place beside a tensor."""
    if isinstance(self, Tensor) and isinstance(other, Tensor):
        return self, other, *promoted(self._array, other._array)
    number_first = isinstance(other, Tensor)
    tensor, number = (other, self) if number_first else (self, other)
    if not isinstance(number, dtypes.NUMBERS):
        return NotImplemented
    array, of_number = dtypes.with_number(tensor._array, number)
    number = SavedArray(of_number, number)
    return (number, tensor, of_number, array) if number_first else (tensor, number, array, of_number)


def promoted(a, b):
    """Two arrays in their common dtype."""
    if a.dtype != b.dtype:
        common = dtypes.result_dtype(a, b)
        a, b = a.astype(common, copy=False), b.astype(common, copy=False)
    return a, b


def needed_gradients(operation, args):
    """For each differentiable input, whether it takes a gradient."""
    return tuple([takes_gradient(args[i]) for i in operation.positions])


def edges_of(operation, args):
    edges = []
    for i in operation.positions:
        value = args[i]
        edges += [edge_of(v) for v in value] if isinstance(value, (list, tuple)) else [edge_of(value)]
    return tuple(edges)


def computed(needed, edges):
    return needed


def save(node, plan, values):
    """Keep what the formulas of the node need of a call: its arguments and results, in order."""
    node._plan = plan
    if plan.keep_tensors is not None:
        node._kept = plan.keep_tensors(values)
    if plan.keep_constants is not None:
        node.constants = plan.keep_constants(values)


def holds_tensor(value):
    return any([isinstance(v, Tensor) for v in value]) if isinstance(value, (list, tuple)) else isinstance(value, Tensor)


def array_of(value):
    if isinstance(value, (list, tuple)):
        return [v._array if isinstance(v, Tensor) else v for v in value]
    return value._array if isinstance(value, (Tensor, SavedArray)) else value


def takes_gradient(value):
    if isinstance(value, Tensor):
        return value.requires_grad
    return isinstance(value, (list, tuple)) and any([takes_gradient(v) for v in value])


def edge_of(value):
    return gradient_edge(value) if isinstance(value, Tensor) else NO_EDGE
