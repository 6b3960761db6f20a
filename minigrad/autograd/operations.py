"""What happens when an operation is called: compute on arrays; if an input takes a gradient, record a node.

Three functions make the callable behind ``add`` or ``exp`` from its description.  `unary` and `binary` are
`general` written out for the two commonest shapes, because these few lines run for every operation of a
program: each line is a measured choice (see benchmarks/).
"""
from __future__ import annotations

from numpy import asarray, ndarray

from .. import dtypes
from ..memory import in_first_order, overlapping
from ..messages import not_a_tensor, translated
from ..tensor import Tensor, mark_inference, wrap
from .accumulate import LOOSE_END, NO_EDGE, gradient_edge
from .grad_mode import local
from .saved import SavedArray


def unary(operation):
    """For one tensor, perhaps followed by plain arguments, and one result."""
    forward = operation.forward
    plan = node_type = save = keep_constants = None     # made when the first node is recorded

    def call(self, *args):
        nonlocal plan, node_type, save, keep_constants
        state = local.state
        if type(self) is not Tensor and not isinstance(self, Tensor):
            if state.pass_depth:
                return forward(self, *args)                 # a formula at work on arrays
            raise not_a_tensor(operation, 0, self)
        try:
            out = state.quiet(forward, self._array, *args)
        except Exception as error:
            numbers = without_tensors(args)
            if numbers is not None:
                return call(self, *numbers)
            raise refused(error, operation, (self, *args)) from None
        if (self._array.base is not None and type(out) is ndarray and out.ndim > 1 and operation.elementwise
                and overlapping(self._array.strides)):
            out = as_expanded(out, self._array)
        result = wrap(out if type(out) is ndarray else asarray(out))
        if not state.recording:
            if state.inference:
                mark_inference(result)
            return result
        if result._array.dtype.kind == "f" and (
                self._requires_grad if self._view is None else self._view.refresh(self)):
            if plan is None:
                plan, node_type = operation.plan(True), operation.node_type
                save, keep_constants = plan.save, plan.keep_constants
            edge = (self._node, self._output_nr) if self._node is not None else gradient_edge(self)
            result._node = node = node_type((edge,), result._array)
            result._requires_grad = True
            node._plan = plan
            if save is not None:
                node._kept = save((self, *args, result))
            if keep_constants is not None:
                node.constants = keep_constants((self, *args, result))
        elif operation.needs_float and self.requires_grad and result._array.dtype.kind != "f":
            raise RuntimeError("Autograd not support dtype: " + dtypes.short_name(result._array.dtype))
        return result

    return call


def as_expanded(out, array):
    """Lay out what was computed from such an array, element by element, as PyTorch does."""
    if out.shape != array.shape or out.flags.c_contiguous and 0 in array.strides:
        return out
    return in_first_order(out, array)


def binary(operation):
    """For two tensors, or a tensor and a number, and one result."""
    forward = operation.forward
    both = first = second = node_type = None            # made when the first node is recorded

    def call(self, other):
        nonlocal both, first, second, node_type
        state = local.state
        if type(self) is Tensor and type(other) is Tensor:
            a, b = self._array, other._array
            if a.dtype is not b.dtype:
                if operation.refuse is not None:
                    operation.refuse(a, b)
                a, b = promoted(a, b)
        else:
            if type(self) is ndarray and type(other) is ndarray and state.pass_depth:
                return forward(self, other)                 # a formula at work on arrays
            if (state.in_formula is not None and operation.with_number is not None
                    and isinstance(self, Tensor) and isinstance(other, dtypes.NUMBERS)):
                return operation.with_number(self, other)
            if operation.refuse is not None:
                operation.refuse(array_of(self), array_of(other))
            operands = unlike(self, other)
            if operands is None:
                if state.pass_depth:
                    return forward(self, other)             # a formula at work on arrays
                raise not_a_tensor(operation, 0, self)
            if operands is NotImplemented:
                return NotImplemented
            self, other, a, b = operands
        try:
            out = state.quiet(forward, a, b)
        except Exception as error:
            raise refused(error, operation, (self, other)) from None
        if out.ndim > 1:
            a, b = self._array, other._array        # as they were before they were cast
            if operation.elementwise and not (out.flags.c_contiguous and a.flags.c_contiguous and (
                    b.flags.c_contiguous or a.shape == out.shape)):
                out = in_first_order(out, a, b)
        result = wrap(out if type(out) is ndarray else asarray(out))
        if not state.recording:
            if state.inference:
                mark_inference(result)
            return result
        needed = self._requires_grad if self._view is None else self._view.refresh(self)
        other_needed = other._requires_grad if other._view is None else other._view.refresh(other)
        if both is None:
            both, first, second = (operation.plan(*choice) for choice in CHOICES_OF_TWO)
            node_type = operation.node_type
        if needed:
            edge = (self._node, self._output_nr) if self._node is not None else gradient_edge(self)
            if other_needed:
                node = other._node
                other_edge = (node, other._output_nr) if node is not None else gradient_edge(other)
                edges, plan = (edge, other_edge), both
                if other_edge is LOOSE_END:
                    plan = first if edge is not LOOSE_END else operation.plan(False, False)
                elif edge is LOOSE_END:
                    plan = second
            else:
                plan = first if edge is not LOOSE_END else operation.plan(False, False)
                edges = edge, NO_EDGE
        elif other_needed:
            edge = gradient_edge(other)
            plan = second if edge is not LOOSE_END else operation.plan(False, False)
            edges = NO_EDGE, edge
        else:
            return result
        if result._array.dtype.kind == "f":
            result._node = node = node_type(edges, result._array)
            result._requires_grad = True
            node._plan = plan
            if plan.save is not None:
                node._kept = plan.save((self, other, result))
            if plan.keep_constants is not None:
                node.constants = plan.keep_constants((self, other, result))
        return result

    return call


CHOICES_OF_TWO = (True, True), (True, False), (False, True)


def refused(error, operation, args):
    """The error to raise when NumPy's, or a check, ended an operation."""
    ask_for_histories(args)
    if type(error) is TypeError:        # x.sin(1): NumPy's function was called with too much
        from ..arguments import explain
        return explain(operation.name, args, {}, method=True) or error
    return translated(error, args) if type(error) is ValueError else error


def without_tensors(values):
    """The values with numbers in place of 0-d tensors, which may stand for them; None if there are none."""
    if any([is_number_tensor(value) for value in values]):
        return [value.item() if is_number_tensor(value) else value for value in values]
    return None


def is_number_tensor(value):
    return isinstance(value, Tensor) and not value._array.ndim and not value.requires_grad


def ask_for_histories(operands):
    """PyTorch asks the operands for their histories before it computes; so where both would fail, a stale
    view that may not be taken again speaks first."""
    if local.state.recording:
        for value in operands:
            if isinstance(value, Tensor) and value.requires_grad:
                gradient_edge(value)


def unlike(self, other):
    """Bring a pair that is not simply two tensors to one dtype.

    Returns (self, other, array of self, array of other); None if neither is a tensor (a formula at work on
    arrays); NotImplemented if one of them has no place beside a tensor.
    """
    if (type(other) is float or type(other) is int) and type(self) is Tensor:
        a = self._array
        if a.dtype.kind == "f" and -32768 <= other < 32768:     # the common case, written out for speed
            b = asarray(other, a.dtype)
            return self, SavedArray(b, other), a, b
    if not isinstance(self, Tensor):
        if not isinstance(other, Tensor):
            return None
        if not isinstance(self, dtypes.NUMBERS):
            return NotImplemented
        a = dtypes.number_array(self, dtypes.promote_number(other._array.dtype, self))
        b = other._array if other._array.dtype == a.dtype else other._array.astype(a.dtype)
        return SavedArray(a, self), other, a, b
    if isinstance(other, Tensor):
        return self, other, *promoted(self._array, other._array)
    if not isinstance(other, dtypes.NUMBERS):
        return NotImplemented
    b = dtypes.number_array(other, dtypes.promote_number(self._array.dtype, other))
    a = self._array if self._array.dtype == b.dtype else self._array.astype(b.dtype)
    return self, SavedArray(b, other), a, b


def promoted(a, b):
    """Two arrays in their common dtype."""
    if a.dtype != b.dtype:
        common = dtypes.result_dtype(a, b)
        a, b = a.astype(common, copy=False), b.astype(common, copy=False)
    return a, b


def general(operation):
    """For any number of tensors, lists of tensors, and results."""
    forward = operation.forward
    positions = [operation.parameters.index(name) for name in operation.tensors]

    def call(*args):
        state = local.state
        arrays, found = list(args), False
        for i in positions:
            value = args[i]
            if isinstance(value, Tensor):
                arrays[i] = value._array
                found = True
            elif value is not None:
                arrays[i] = array_of(value)
                found = found or holds_tensor(value)
        if not found:
            if state.pass_depth:
                return forward(*args)                       # a formula at work on arrays
            raise not_a_tensor(operation, positions[0], args[positions[0]])
        try:
            out = state.quiet(forward, *arrays)
        except Exception as error:
            plain = [i for i in range(len(args)) if i not in positions]
            numbers = without_tensors([args[i] for i in plain])
            if numbers is not None:
                for i, number in zip(plain, numbers):
                    arrays[i] = number
                return call(*[arrays[i] if i in plain else args[i] for i in range(len(args))])
            raise refused(error, operation, args) from None
        several = type(out) in (tuple, list)
        results = [wrap(asarray(o)) for o in out] if several else [wrap(asarray(out))]
        if state.recording:
            node = recorded(operation, args, results)
            if node is not None:
                attach(node, results)
                save(node, args, results)
        elif state.inference:
            for result in results:
                mark_inference(result)
        return tuple(results) if several else results[0]

    return call


def needed_gradients(operation, args):
    """For each differentiable input, whether it takes a gradient."""
    needed = []
    for i in operation.positions:
        value = args[i]
        # takes_gradient(), written out for the common case
        needed.append(value._requires_grad if isinstance(value, Tensor) and value._view is None
                      else takes_gradient(value))
    return tuple(needed)


def recorded(operation, args, results):
    """The node of a call, with its edges, but nothing saved yet; None if no input takes a gradient."""
    floating = [r for r in results if r._array.dtype.kind == "f"]
    if not floating and not operation.needs_float:
        return None
    needed = needed_gradients(operation, args)
    if not floating and True in needed:
        raise RuntimeError("Autograd not support dtype: " + dtypes.short_name(results[0]._array.dtype))
    if True not in needed:
        return None
    edges = []
    for i in operation.positions:
        value = args[i]
        if isinstance(value, Tensor):
            edges.append(gradient_edge(value))
        elif isinstance(value, (list, tuple)):
            edges += [edge_of(v) for v in value]
        else:
            edges.append(NO_EDGE)
    node = operation.node_type(tuple(edges), floating[0]._array)
    if operation.takes_all_grads:
        node._outputs = tuple([(r._array.shape, r._array.dtype) for r in floating])
    node._plan = operation.plan(*computed(needed, edges))
    return node


def computed(needed, edges):
    """For which inputs a formula will run: those that need a gradient, and whose gradient goes somewhere.

    An operation with one input, and one of lists, does not ask: see `guard_for` in PyTorch's code generator.
    """
    if 1 < len(needed) == len(edges) and LOOSE_END in edges:    # (equal to NO_EDGE, so this may be in vain)
        return tuple([wanted and edge is not LOOSE_END for wanted, edge in zip(needed, edges)])
    return needed


def save(node, args, results):
    """Keep what the formulas of the node need."""
    plan = node._plan
    if plan.save is not None:
        node._kept = plan.save((*args, *results))
    if plan.keep_constants is not None:
        node.constants = plan.keep_constants((*args, *results))


def attach(node, results):
    """Make the results the outputs of the node: the floating-point ones, or only the first."""
    tracked = [r for r in results if r._array.dtype.kind == "f"]
    for number, result in enumerate(tracked if node._outputs is not None else tracked[:1]):
        result._requires_grad, result._node, result._output_nr = True, node, number


def holds_tensor(value):
    if isinstance(value, (list, tuple)):
        return any([isinstance(v, Tensor) for v in value])
    return isinstance(value, Tensor)


def array_of(value):
    if isinstance(value, (list, tuple)):
        return [v._array if isinstance(v, Tensor) else v for v in value]
    return value._array if isinstance(value, (Tensor, SavedArray)) else value


def takes_gradient(value):
    if isinstance(value, Tensor):
        return value.requires_grad
    if isinstance(value, (list, tuple)):
        return any([takes_gradient(v) for v in value])
    return False


def edge_of(value):
    return gradient_edge(value) if isinstance(value, Tensor) else NO_EDGE
