"""What the call of an operation does: compute, and record if an input takes a gradient.

    y = x * w       multiply the arrays -> wrap the product in a tensor -> record a node

The functions here make the one that users call: for an operation of one tensor, of two,
and of any number.
"""
from operator import is_
from types import NoneType

from numpy import asarray, ndarray

from .. import dtypes
from ..errors import translated, type_name
from ..state import local, quiet, unusual_threads
from ..tensor import Tensor, mark_inference, wrap, wrap_new
from .accumulate import edges_to, gradient_node
from .recording import record
from .saved import WrappedNumber

# The restriction of views that are several results; here, as views.py imports this.
MULTI_OUTPUT = "multi-output"

# Which inputs take a gradient: the keys of `operation.plans` that are used most.
ONLY, FIRST, SECOND, BOTH = (True,), (True, False), (False, True), (True, True)


def unary_function(operation):
    """Make the function for one tensor, perhaps followed by plain arguments."""
    forward, plans = operation.forward, operation.plans

    def compute_and_record(self, *args):
        if not isinstance(self, Tensor):
            return on_arrays(operation, self, *args)
        try:
            array = quiet.copy().run(forward, self._array, *args)
        except Exception as error:
            raise refusal(operation, error, (self, *args)) from None
        result = wrap(array if type(array) is ndarray else asarray(array))
        # Only a view can require a gradient without its own flag: it follows its base.
        needed = self._requires_grad if self._view is None else self.requires_grad
        if needed and array.dtype.kind == "f" and (
                not unusual_threads or local.state.recording):
            number = self._output_nr
            numbers = None if number is None else (number,)
            plan = plans.get(ONLY) or operation.plan(ONLY)
            values = (self, *args, result) if args else (self, result)
            record(plan, (gradient_node(self),), numbers, values, result)
        if unusual_threads and local.state.inference:
            mark_inference(result)
        if operation.make_view is not None:
            operation.make_view(result, self)
        return result

    return compute_and_record


def binary_function(operation):
    """Make the function for two tensors, or for a tensor and a number."""
    forward, plans = operation.forward, operation.plans

    def compute_and_record(self, other):
        if type(self) is not Tensor or type(other) is not Tensor:
            if not isinstance(self, Tensor) and not isinstance(other, Tensor):
                return on_arrays(operation, self, other)
            self, other = operands_of(operation, self, other)
            if other is None:
                return NotImplemented
        a, b = self._array, other._array
        if a.dtype is not b.dtype:
            a, b = in_common_dtype(operation, a, b)
        try:
            array = quiet.copy().run(forward, a, b)
        except Exception as error:
            raise refusal(operation, error, (self, other)) from None
        result = wrap(array if type(array) is ndarray else asarray(array))
        first = self._requires_grad if self._view is None else self.requires_grad
        second = other._requires_grad if other._view is None else other.requires_grad
        if (first or second) and array.dtype.kind == "f" and (
                not unusual_threads or local.state.recording):
            children = (gradient_node(self) if first else None,
                        gradient_node(other) if second else None)
            numbers = None
            if self._output_nr is not None or other._output_nr is not None:
                numbers = self._output_nr, other._output_nr
            needed = SECOND if not first else BOTH if second else FIRST
            plan = plans.get(needed) or operation.plan(needed)
            record(plan, children, numbers, (self, other, result), result)
        if unusual_threads and local.state.inference:
            mark_inference(result)
        return result

    return compute_and_record


def general_function(operation):
    """Make the function for any number of tensors, lists of tensors, and results."""
    def compute_and_record(*args):
        arrays = [value._array if type(value) is Tensor else arrays_of(value)
                  for value in args]
        kinds = {*map(type, args)}
        if Tensor not in kinds and all(map(is_, arrays, args)):
            return on_arrays(operation, *args)
        if ndarray in kinds:
            refuse(operation, args, ndarray)
        try:
            out = quiet.copy().run(operation.forward, *arrays)
        except Exception as error:
            raise refusal(operation, error, args) from None
        several = type(out) in (tuple, list)
        results = [wrap_new(asarray(one)) for one in (out if several else [out])]
        floating = [one for one in results if one._array.dtype.kind == "f"]
        if floating and local.state.recording:
            needed, inputs = inputs_of(operation, args)
            if True in needed:
                record_results(operation, needed, inputs, (*args, *results), floating)
        if operation.make_view is not None:
            for one in results:
                operation.make_view(one, args[0], MULTI_OUTPUT if several else None)
        return tuple(results) if several else results[0]

    return compute_and_record


def record_results(operation, needed, inputs, values, floating):
    """Record a call with one or several floating-point results."""
    if operation.takes_all_grads:
        # Before anything is saved: a saved result keeps its number.
        for number, one in enumerate(floating):
            one._requires_grad = True
            one._output_nr = number
    record(operation.plan(needed), *edges_to(inputs), values, floating[0])
    if operation.takes_all_grads:
        node = floating[0]._node
        node._is_plain = False      # it receives a list of gradients
        node._outputs = tuple([(x._array.shape, x._array.dtype) for x in floating])
        for one in floating:
            one._node = node


def on_arrays(operation, *args):
    """Call an operation on arrays, as formulas do within a backward pass."""
    if not local.state.pass_depth:
        raise not_a_tensor(operation, "input", 0, args)
    return operation.forward(*args)


def refuse(operation, args, refused):
    """Raise TypeError for an argument of a refused type in the place of a tensor."""
    for name in operation.tensor_inputs:
        position = operation.parameters.index(name)
        if isinstance(args[position], refused):
            raise not_a_tensor(operation, name, position, args)


def not_a_tensor(operation, name, position, args):
    """Return the error for an argument that should be a tensor."""
    return TypeError(
        f"{operation.name.strip('_')}(): argument '{name}' (position {position + 1}) "
        f"must be Tensor, not {type_name(args[position])}")


def refusal(operation, error, args):
    """Return the error to raise for one that was raised for these arguments."""
    if local.state.recording:
        for one in inputs_of(operation, args)[1]:
            if one is not None:
                gradient_node(one)      # an unusable view says so first
    if isinstance(error, AttributeError):       # a number has no dtype, for example
        refuse(operation, args, (dtypes.NUMBERS, str, NoneType))
    return translated(error, args) if isinstance(error, ValueError) else error


def operands_of(operation, self, other):
    """Return two operands, a number as an array; the second is None if none fits."""
    if isinstance(self, Tensor) and isinstance(other, Tensor):
        return self, other
    is_first = isinstance(self, Tensor)
    tensor, number = (self, other) if is_first else (other, self)
    if not isinstance(number, dtypes.NUMBERS):
        return tensor, None
    if operation.refuse is not None:
        operation.refuse(tensor._array, number)
    dtype = tensor._array.dtype
    if dtype.kind != "f":
        dtype = dtypes.promote_number(dtype, number)
    wrapped = WrappedNumber(dtypes.number_array(number, dtype), number)
    return (tensor, wrapped) if is_first else (wrapped, tensor)


def in_common_dtype(operation, a, b):
    """Return two arrays in their common dtype, unless the operation refuses them."""
    if operation.refuse is not None:
        operation.refuse(a, b)
    return dtypes.in_result_dtype(a, b)


def inputs_of(operation, args):
    """Return which inputs take a gradient, and all tensors, with None if they don't."""
    needed, inputs = [], []
    for i in operation.positions:
        values = args[i]
        if isinstance(values, (list, tuple)):
            taking = [isinstance(one, Tensor) and one.requires_grad for one in values]
            inputs += [one if takes else None for one, takes in zip(values, taking)]
            needed.append(True in taking)
        else:
            takes = isinstance(values, Tensor) and values.requires_grad
            inputs.append(values if takes else None)
            needed.append(takes)
    return tuple(needed), inputs


def arrays_of(value):
    """Return a tensor's array, a list of arrays for a list, and other values as is."""
    if isinstance(value, (Tensor, WrappedNumber)):
        return value._array
    if isinstance(value, (list, tuple)):
        arrays = [arrays_of(one) for one in value]
        if any([array is not one for array, one in zip(arrays, value)]):
            return arrays
    return value
