"""How an operation is declared: a NumPy function, and the gradient of each of its inputs.

    @differentiable("MulBackward0",
                    self=lambda grad, other: grad * other,
                    other=lambda grad, self: grad * self)
    def mul(self, other):
        return self * other

Each keyword names an input that is a tensor and gives the formula of its gradient (None: a tensor
that takes no gradient, such as an index).  What a formula needs is what its parameters name:
``grad``, an argument, the ``result``, or only an argument's shape (``self_shape``; see MEASURES).
Exactly that is saved, and nothing for an input that takes no gradient.  It shows as
``grad_fn._saved_<name>``, unless the name begins with an underscore.

A formula runs on arrays in an ordinary backward pass, and on tensors when the pass is itself
recorded (create_graph=True).  So it is written with operators and the operations of this package,
never with NumPy: an operation given arrays returns an array.  It never mentions broadcasting or
dtypes: the engine sums a gradient to the shape of the input it belongs to, and casts it.

Operations with several results name them, ``outputs=("values", "indices")``.  A formula whose first
parameter is ``grads`` gets the gradients of all results, as a list; otherwise only the first result
is differentiable.  An input called ``tensors`` is a list; its formula returns a list of gradients.
"""
from functools import cached_property, wraps

from ..memory import element_strides
from ..state import ThreadState, local
from ..tensor import Tensor
from .calling import call_with_one, call_with_several, call_with_two
from .node import Node
from .saved import array_of, save_input, save_result, tensor_of
from .saved_attributes import raw_saved_attribute, saved_attribute


def differentiable(node_name, outputs=("result",), **formulas):
    """Make an operation on tensors out of a function on arrays and the formulas of its gradients.

    Raises TypeError if a formula names neither an argument nor a result.
    """
    def decorate(forward):
        operation = Operation(node_name, forward, formulas, outputs)
        inputs = operation.tensor_inputs
        simple = outputs == ("result",) and not operation.takes_lists and (
            inputs == operation.parameters[:len(inputs)] == list(operation.formulas))
        make_call = (call_with_one if simple and len(inputs) == 1 else
                     call_with_two if simple and operation.is_binary else call_with_several)
        call = wraps(forward)(make_call(operation))
        call.__qualname__, call.operation = forward.__name__, operation
        return call
    return decorate


class Operation:
    """All that is known about one operation once it is declared."""
    # Only arithmetic sets these two:
    with_number = None      # the operation that a formula records for a tensor and a number
    refuse = None           # a function that raises if it cannot combine the dtypes of two operands

    def __init__(self, node_name, forward, formulas, outputs):
        self.name, self.node_name = forward.__name__, node_name
        self.forward, self.outputs = forward, outputs
        self.parameters = parameters_of(forward)
        self.tensor_inputs = [name for name in self.parameters if name in formulas]
        self.is_binary = len(self.tensor_inputs) == 2 == len(self.parameters)
        for name, formula in formulas.items():
            if name not in self.parameters:
                raise TypeError(f"{self.name}: there is no argument '{name}' to give a gradient "
                                f"to; it has {', '.join(self.parameters)}")
            for wanted in parameters_of(formula)[1:] if formula else ():
                if measured(self, wanted)[0] not in (*self.parameters, *self.outputs):
                    raise TypeError(f"{self.name}: the formula for '{name}' names '{wanted}', "
                                    "which is neither an argument nor a result")
        self.formulas = {name: formulas[name] for name in self.tensor_inputs if formulas[name]}
        self.positions = [self.parameters.index(name) for name in self.formulas]
        self.takes_lists = "tensors" in self.formulas
        self.takes_all_grads = "grads" in [parameters_of(f)[0] for f in self.formulas.values()]
        self.tensor_names = {*self.tensor_inputs, *outputs}
        self.plans = {}

    def plan(self, needed):
        """Return the plan for the case that the inputs marked in `needed` take a gradient."""
        self.plans[needed] = plan = self.plans.get(needed) or Plan(self, needed)
        return plan

    @cached_property
    def node_type(self):
        """The class of the nodes, made when the first is recorded."""
        attributes = {"__slots__": (), "__module__": "builtins", "__doc__": self.forward.__doc__,
                      "operation": self, "name": lambda node: self.node_name}
        for name in {name for f in self.formulas.values() for name in parameters_of(f)[1:]}:
            argument, measure = measured(self, name)
            if name[0] != "_" and name != "tensors_shape":
                shown = f"{argument}_{MEASURES[measure][0]}" if measure else name
                attributes[f"_saved_{shown}"] = property(saved_attribute(name))
            if name in self.tensor_names:
                attributes[f"_raw_saved_{name}"] = property(raw_saved_attribute(name))
        return type(self.node_name.rpartition("::")[2], (OperationNode,), attributes)


def parameters_of(function):
    """Return the names of a function's parameters, twenty times as fast as inspect.signature."""
    code = function.__code__
    return list(code.co_varnames[:code.co_argcount])


class Plan:
    """For one choice of the inputs that take a gradient: what a node saves, and how it uses that.

    `keep(node, values)` stores on a node what its formulas need of a call's values, which are its
    arguments and results in order.  `gradients(node, grad)` evaluates the formulas on arrays.
    """
    def __init__(self, operation, needed):
        formulas = [f if wanted else None for f, wanted in zip(operation.formulas.values(), needed)]
        names = [name for f in operation.formulas.values() for name in parameters_of(f)[1:]]
        used = {name for f in formulas if f for name in parameters_of(f)[1:]}
        # As in PyTorch, only a tensor that a single formula needs, which never runs, isn't saved.
        used.update([name for name in names if names.count(name) > 1], operation.outputs)
        names = dict.fromkeys(names)
        self.saved_names = [name for name in names if name in used & operation.tensor_names]
        self.constants = [name for name in names if name not in operation.tensor_names]
        self.keep = self.keeper(operation)
        on_arrays, self.on_tensors = [
            [f and self.function_of_node(f, value_of) for f in formulas]
            for value_of in (array_of, tensor_of)]
        self.gradients = on_arrays[0] if operation.takes_lists else all_of(*on_arrays)

    def keeper(self, operation):
        """Return the function `keep`, or None if nothing is saved."""
        values = [*operation.parameters, *operation.outputs]
        results = operation.outputs[:None if operation.takes_all_grads else 1]
        savers = [(save_result if name in results else save_input, values.index(name))
                  for name in self.saved_names]
        measures = [(MEASURES[measure][1] if measure else lambda value: value, values.index(name))
                    for name, measure in [measured(operation, name) for name in self.constants]]

        def keep_tensors(node, values):
            kept, versions = [], []
            for save, index in savers:
                value = values[index]
                # A plain tensor is saved as itself, without a call; `save` handles all other cases.
                if type(value) is not Tensor or value._extra is not None or save is save_result \
                        or ThreadState.with_hooks:
                    value = save(value)
                counter = value._counter
                kept.append(value)
                versions.append(0 if counter is None else counter.value)
            node._kept, node._versions = tuple(kept), tuple(versions)

        def keep_constants(node, values):
            node._constants = tuple([measure(values[index]) for measure, index in measures])

        def keep_all(node, values):
            keep_tensors(node, values)
            keep_constants(node, values)

        if savers and measures:
            return keep_all
        if len(savers) == 1:
            return keep_one(*savers[0])
        if len(measures) == 1:
            return keep_one_constant(*measures[0])
        return keep_tensors if savers else keep_constants if measures else None

    def function_of_node(self, formula, value_of):
        """Return a formula as a function of node and gradient; `value_of` reads a saved value."""
        order = [*self.saved_names, *self.constants]
        indices = [order.index(name) for name in parameters_of(formula)[1:]]
        count = len(self.saved_names)
        if not indices:
            return lambda node, grad: formula(grad)
        if len(indices) == 1 and indices[0] < count:
            i, = indices
            return lambda node, grad: formula(grad, value_of(node, i))
        if not count and indices == list(range(len(order))):
            return lambda node, grad: formula(grad, *node._constants)
        return lambda node, grad: formula(grad, *[
            value_of(node, i) if i < count else node._constants[i - count] for i in indices])


def keep_one(save, index):
    """Return `keep` for a single saved tensor: `keep_tensors` spelled out for speed."""
    def keep(node, values):
        value = values[index]
        if (type(value) is not Tensor or value._extra is not None or save is save_result
                or ThreadState.with_hooks):
            value = save(value)
        counter = value._counter
        node._kept = value,
        node._versions = (0,) if counter is None else (counter.value,)
    return keep


def keep_one_constant(measure, index):
    def keep(node, values):
        node._constants = measure(values[index]),
    return keep


def all_of(*formulas):
    """Return one function for all formulas; one and two of them are spelled out for speed."""
    first, second, *_ = *formulas, None
    if len(formulas) == 1:
        return lambda node, grad: (first(node, grad),)
    if len(formulas) == 2 and second is None:
        return lambda node, grad: (first(node, grad), None)
    if len(formulas) == 2 and first is not None:
        return lambda node, grad: (first(node, grad), second(node, grad))
    return lambda node, grad: [formula and formula(node, grad) for formula in formulas]


class OperationNode(Node):
    """A node recorded by an operation that `differentiable` made."""
    __slots__ = ("_plan", "_constants")

    def gradients_as_tensors(self, grad, wanted=None):
        state, formulas = local.state, self._plan.on_tensors
        outer, state.in_formula = state.in_formula, True
        state.pass_depth += 1           # also where a node is called outside of any pass
        try:
            if self.operation.takes_lists:
                return formulas[0](self, grad)
            if wanted and not all([wanted(i) for i, formula in enumerate(formulas) if formula]):
                self.check_saved()          # PyTorch reads all of it, even if it needs none
            return [formula(self, grad) if formula and (wanted is None or wanted(i)) else None
                    for i, formula in enumerate(formulas)]
        finally:
            state.in_formula = outer
            state.pass_depth -= 1

    def check_saved(self):
        for i in range(len(self._plan.saved_names)):
            array_of(self, i)


def shape_of(value):
    if isinstance(value, (list, tuple)):
        return [shape_of(one) for one in value]
    return value._array.shape if hasattr(value, "_array") else ()


# What a formula may name of an argument: the ending, PyTorch's ending, and how it is found.
MEASURES = {"shape": ("sym_sizes", shape_of),
            "strides": ("sym_strides", lambda value: element_strides(value._array)),
            "numel": ("sym_numel", lambda value: value._array.size),
            "dim": ("dim", lambda value: value._array.ndim),
            "size0": ("sym_argsize_0", lambda value: value._array.shape[0])}


def measured(operation, name):
    """Return ("self", "shape") for "self_shape", and (name, None) where nothing is measured."""
    argument, _, ending = name.rpartition("_")
    is_measure = ending in MEASURES and name not in operation.parameters
    return (argument, ending) if is_measure else (name, None)
