"""What the call of an operation does: it computes, and records a node if an input takes a gradient.

    y = x * w       call -> multiply the arrays -> wrap the result -> record a node

The functions here make the callable for an operation of one tensor, of two, and of any number.
"""
from numpy import asarray, ndarray

from .. import dtypes
from ..errors import translated
from ..state import local, quiet
from ..tensor import Tensor, mark_inference, wrap, wrap_new
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
            out = quiet.copy().run(forward, self._array, *args)
        except Exception as error:
            raise refusal(operation, error, (self, *args)) from None
        result = wrap(out if type(out) is ndarray else asarray(out))
        if state.inference:
            mark_inference(result)
        elif state.recording and result._array.dtype.kind == "f":
            if self._requires_grad if self._view is None else self.requires_grad:
                number = self._output_nr
                record(operation, (gradient_node(self),), None if number is None else (number,),
                       (True,), (self, *args, result), result)
        return result
    return call


def call_with_two(operation):
    """For two tensors, or a tensor and a number, and one result."""
    forward = operation.forward

    def call(self, other):
        state = local.state
        if not isinstance(self, Tensor) or not isinstance(other, Tensor):
            if not isinstance(self, Tensor) and not isinstance(other, Tensor):
                return (forward(self, other) if state.pass_depth else
                        on_arrays(operation, (self, other)))
            if not isinstance(other if isinstance(self, Tensor) else self, dtypes.NUMBERS):
                return NotImplemented
            # PyTorch's formulas record MulBackward1 for tensor * number, your code MulBackward0.
            if state.in_formula and operation.with_number is not None and isinstance(self, Tensor):
                return operation.with_number(self, other)
            self, other = with_wrapped_number(operation, self, other)
        a, b = self._array, other._array
        if a.dtype is not b.dtype:
            a, b = promoted(operation, a, b)
        try:
            out = quiet.copy().run(forward, a, b)
        except Exception as error:
            raise refusal(operation, error, (self, other)) from None
        result = wrap(out if type(out) is ndarray else asarray(out))
        if state.inference:
            mark_inference(result)
        elif state.recording and result._array.dtype.kind == "f":
            # Only a view can have requires_grad without its own flag: it follows its base.
            first = self._requires_grad if self._view is None else self.requires_grad
            second = other._requires_grad if other._view is None else other.requires_grad
            if first or second:
                children = (gradient_node(self) if first else None,
                            gradient_node(other) if second else None)
                numbers = self._output_nr, other._output_nr
                record(operation, children, None if numbers == (None, None) else numbers,
                       (first, second), (self, other, result), result)
        return result
    return call


def call_with_several(operation):
    """For any number of tensors, lists of tensors, and results."""
    def call(*args):
        arrays = [arrays_of(value) for value in args]
        for array, value in zip(arrays, args):
            if array is not value:
                break
        else:                                   # no argument is a tensor
            return on_arrays(operation, arrays)
        try:
            out = quiet.copy().run(operation.forward, *arrays)
        except Exception as error:
            raise refusal(operation, error, args) from None
        several = type(out) in (tuple, list)
        results = [wrap_new(asarray(one)) for one in (out if several else [out])]
        floating = [one for one in results if one._array.dtype.kind == "f"]
        if local.state.recording and floating:
            needed, inputs = inputs_of(operation, args)
            if True in needed:
                outputs = floating if operation.takes_all_grads else []
                for number, one in enumerate(outputs):
                    one._requires_grad, one._output_nr = True, number
                record(operation, *edges_to(inputs), needed, (*args, *results), floating[0])
                for one in outputs:
                    one._node = node = floating[0]._node
                    node._outputs = tuple([(out._array.shape, out._array.dtype) for out in outputs])
        return tuple(results) if several else results[0]
    return call


def on_arrays(operation, args):
    """Call an operation on arrays, as formulas do within a backward pass."""
    if not local.state.pass_depth:
        raise TypeError(f"{operation.name.strip('_')}(): argument 'input' (position 1) must be "
                        f"Tensor, not {type(args[0]).__name__}")
    return operation.forward(*args)


def record(operation, children, output_nrs, needed, values, result):
    """Make a call's node and attach it to its result; `values` are all arguments and results."""
    result._node = node = operation.node_type(children, output_nrs, result._array)
    result._requires_grad = True
    node._plan = plan = operation.plans.get(needed) or operation.plan(needed)
    if plan.keep is not None:
        plan.keep(node, values)


def refusal(operation, error, args):
    """Return the error to raise for one that NumPy, or the operation, raised for its arguments."""
    if local.state.recording:
        edges_to(inputs_of(operation, args)[1])     # a view that can't be used any more says so
    return translated(error, args) if isinstance(error, ValueError) else error


# --- operands -------------------------------------------------------------------------------------

def with_wrapped_number(operation, self, other):
    """Return a tensor and a number, in the given order, with the number as an array."""
    tensor, number = (self, other) if isinstance(self, Tensor) else (other, self)
    if operation.refuse is not None:
        operation.refuse(tensor._array, number)
    dtype = tensor._array.dtype
    if dtype.kind != "f":
        dtype = dtypes.promote_number(dtype, number)
    wrapped = WrappedNumber(dtypes.number_array(number, dtype), number)
    return (tensor, wrapped) if tensor is self else (wrapped, tensor)


def promoted(operation, a, b):
    """Return two arrays in their common dtype, unless the operation refuses such a pair."""
    if operation.refuse is not None:
        operation.refuse(a, b)
    return dtypes.promoted(a, b)


def inputs_of(operation, args):
    """Return which inputs take a gradient, and all inputs in one list, with None for the others."""
    needed, inputs = [], []
    for i in operation.positions:
        values = args[i]
        if isinstance(values, Tensor):
            inputs.append(values if values.requires_grad else None)
            needed.append(values.requires_grad)
        elif isinstance(values, (list, tuple)):
            taking = [isinstance(one, Tensor) and one.requires_grad for one in values]
            inputs += [one if takes else None for one, takes in zip(values, taking)]
            needed.append(True in taking)
        else:
            inputs.append(None)
            needed.append(False)
    return tuple(needed), inputs


def arrays_of(value):
    """Return a tensor's array, a list of arrays for a list, and anything else as it is."""
    if isinstance(value, (Tensor, WrappedNumber)):
        return value._array
    if isinstance(value, (list, tuple)):
        arrays = [arrays_of(one) for one in value]
        return value if all([a is b for a, b in zip(arrays, value)]) else arrays
    return value
