"""How an operation is declared: a NumPy function, and the gradient of each of its inputs.

    @differentiable("MulBackward0",
                    self=lambda grad, other: grad * other,
                    other=lambda grad, self: grad * self)
    def mul(self, other):
        return self * other

Each keyword names an input that is a tensor and gives the formula of its gradient (None: a tensor that takes
no gradient, such as an index).  What a formula needs is what its parameters name: ``grad``, an argument, the
``result``, or only an argument's shape (``self_shape``, and the like in MEASURES).  Exactly that is saved,
and nothing for an input that takes no gradient.  It shows as ``grad_fn._saved_<name>``, unless the name
begins with an underscore.

A formula runs on arrays in an ordinary backward pass, and on tensors when the pass is itself recorded
(create_graph=True).  So it is written with operators and the operations of this package, never with NumPy: an
operation given arrays returns an array.  It never mentions broadcasting or dtypes: the engine sums a gradient
back to the shape of what its node produced, and casts it.

Operations with several results name them, ``outputs=("values", "indices")``.  A formula whose first parameter
is ``grads`` gets the gradients of all results, as a list; otherwise only the first result is differentiable.
An input called ``tensors`` is a list of tensors, and its formula returns a list of gradients.
"""
from __future__ import annotations

from functools import cached_property

from ..memory import element_strides
from ..state import local
from .calling import call_with_one, call_with_several, call_with_two
from .node import Freed, Node
from .saved import NOTHING, SavedList, SavedTensor, array_of, keep, save_input, save_result, tensor_of, with_history


def differentiable(node_name, outputs=("result",), **formulas):
    """Make an operation on tensors out of a function on arrays and the formulas of its gradients.

    Raises:
        TypeError: a formula names something that is neither an argument nor a result; the message says which.
    """
    def decorate(forward):
        operation = Operation(node_name, forward, formulas, outputs)
        plain = operation.tensors == operation.parameters[:len(operation.tensors)] == list(operation.formulas)
        if not plain or outputs != ("result",) or operation.takes_lists:
            call = call_with_several(operation)
        elif len(operation.tensors) == 1:
            call = call_with_one(operation)
        elif len(operation.parameters) == 2:
            call = call_with_two(operation)
        else:
            call = call_with_several(operation)
        call.__name__ = call.__qualname__ = forward.__name__
        call.__doc__, call.__module__, call.__wrapped__ = forward.__doc__, forward.__module__, forward
        call.operation = operation
        return call
    return decorate


class Operation:
    """All that is known about one operation once it is declared."""

    # An arithmetic operation may have two more things, set where it is declared:
    with_number = None      # the operation that a formula records in its place when a tensor meets a plain number
    refuse = None           # a function that objects to the dtypes of two operands

    def __init__(self, node_name, forward, formulas, outputs):
        self.name, self.node_name, self.forward, self.outputs = forward.__name__, node_name, forward, outputs
        self.parameters = parameters_of(forward)
        self.tensors = [name for name in self.parameters if name in formulas]
        self.check_names(formulas)
        self.formulas = {name: formulas[name] for name in self.tensors if formulas[name]}
        self.positions = [self.parameters.index(name) for name in self.formulas]
        self.takes_lists = "tensors" in self.formulas
        self.takes_all_grads = any([parameters_of(formula)[0] == "grads" for formula in self.formulas.values()])
        self.plans = {}

    def check_names(self, formulas):
        known = {*self.parameters, *self.outputs, *[name + end for name in self.parameters for end in MEASURES]}
        for name, formula in formulas.items():
            if name not in self.parameters:
                raise TypeError(f"{self.name}: there is no argument '{name}' to give a gradient to; it has "
                                f"{', '.join(self.parameters)}")
            for wanted in parameters_of(formula)[1:] if formula else ():
                if wanted not in known:
                    raise TypeError(
                        f"{self.name}: the formula for '{name}' names '{wanted}', which is neither an "
                        f"argument nor a result; there are {', '.join(sorted(known))}")

    def is_tensor(self, name):
        return name in self.tensors or name in self.outputs

    def plan(self, *needed):
        """Return the plan for the case that exactly the inputs for which `needed` is true take a gradient."""
        if needed not in self.plans:
            self.plans[needed] = Plan(self, needed)
        return self.plans[needed]

    @cached_property
    def node_type(self):
        """The class of the nodes, made when the first is recorded (a program uses few of the operations)."""
        names = dict.fromkeys([name for formula in self.formulas.values() for name in parameters_of(formula)[1:]])
        node_name = self.node_name
        attributes = {"__slots__": (), "__module__": "builtins", "__doc__": self.forward.__doc__,
                      "operation": self, "name": lambda node: node_name}
        for name in names:
            if name[0] != "_" and name != "tensors_shape":
                attributes[f"_saved_{shown_name(name, self)}"] = property(saved_attribute(name))
            if self.is_tensor(name):
                attributes[f"_raw_saved_{name}"] = property(raw_saved_attribute(name))
        return type(node_name.rpartition("::")[2], (OperationNode,), attributes)


def parameters_of(function):
    """Return the names of a function's parameters (inspect.signature takes twenty times as long)."""
    code = function.__code__
    return list(code.co_varnames[:code.co_argcount])


class Plan:
    """For one choice of the inputs that take a gradient: what a node saves, and the formulas it evaluates.

    `keep` is None, or a function that stores on a node what its formulas need of a call's values, which are
    its arguments and results in order.
    """

    def __init__(self, operation, needed):
        self.operation = operation
        formulas = [formula if wanted else None for formula, wanted in zip(operation.formulas.values(), needed)]
        names = list(dict.fromkeys([name for formula in formulas if formula for name in parameters_of(formula)[1:]]))
        self.tensor_names = [name for name in names if operation.is_tensor(name)]
        self.constant_names = [name for name in names if not operation.is_tensor(name)]
        order = [*self.tensor_names, *self.constant_names]
        self.formulas = [formula and (formula, [order.index(name) for name in parameters_of(formula)[1:]])
                         for formula in formulas]
        self.keep = self.keeper()
        # what may be None reads None after the pass too, when everything else is freed
        defaults = operation.forward.__defaults__ or ()
        optional = operation.parameters[len(operation.parameters) - len(defaults):]
        self.has_optional = any([name in optional for name in self.tensor_names])
        self.gradients = self.evaluator(array_of)
        self.gradients_as_tensors = self.evaluator(tensor_of)

    def keeper(self):
        tensors = [saver(self.operation, name) for name in self.tensor_names]
        constants = [measurer(self.operation, name) for name in self.constant_names]
        if not tensors and not constants:
            return None
        if len(tensors) == 1 and not constants:
            (save, place), = tensors

            def keep_one(node, values):
                value = save(values[place])
                node._kept = value,
                counter = value._counter
                node._versions = NEVER_WRITTEN if counter is None else (counter.value,)
            return keep_one

        def keep_all(node, values):
            if tensors:
                keep(node, *[save(values[place]) for save, place in tensors])
            if constants:
                node._constants = tuple([measure(values[place]) for measure, place in constants])
        return keep_all

    def evaluator(self, value_of):
        """Return the function from a node and its gradient to the gradients of its inputs.

        `value_of(node, i)` is a saved tensor, as an array or as a tensor.
        """
        formulas = [one and self.bound(*one, value_of) for one in self.formulas]
        if self.operation.takes_lists:
            return lambda node, grad, wanted=None: formulas[0](node, grad)
        if len(formulas) == 1:
            only, = formulas
            return lambda node, grad, wanted=None: (only(node, grad),)
        if len(formulas) == 2 and None in formulas:
            first, second = formulas
            return lambda node, grad, wanted=None: (first and first(node, grad), second and second(node, grad))
        return lambda node, grad, wanted=None: [
            formula(node, grad) if formula and (wanted is None or wanted(i)) else None
            for i, formula in enumerate(formulas)]

    def bound(self, formula, places, value_of):
        """Return the function from a node and its gradient to one formula's value; the usual cases spelled out."""
        tensors = len(self.tensor_names)
        if not places:
            return lambda node, grad: formula(grad)
        if len(places) == 1 and places[0] < tensors:
            i, = places
            return lambda node, grad: formula(grad, value_of(node, i))
        if not tensors and places == list(range(len(self.constant_names))):
            return lambda node, grad: formula(grad, *node._constants)
        return lambda node, grad: formula(
            grad, *[value_of(node, i) if i < tensors else node._constants[i - tensors] for i in places])


NEVER_WRITTEN = (0,)        # the versions of one saved value that nobody has written to


class OperationNode(Node):
    """A node recorded by an operation that `differentiable` made."""

    __slots__ = ("_plan", "_constants")

    operation: Operation

    def gradients(self, grad, wanted=None):
        return self._plan.gradients(self, grad, wanted)

    def gradients_as_tensors(self, grad, wanted=None):
        state = local.state
        outer, state.in_formula = state.in_formula, True
        state.pass_depth += 1           # also where a node is called outside of any pass
        try:
            return self._plan.gradients_as_tensors(self, grad, wanted)
        finally:
            state.in_formula = outer
            state.pass_depth -= 1

    def check_saved(self):
        for i in range(len(self._plan.tensor_names)):
            array_of(self, i)

    def free(self, freed):
        if self._kept is not None:
            if self._plan.has_optional:
                freed = Freed(freed.place, [value is NOTHING for value in self._kept])
            self._kept = freed


# --- what is saved of an argument ---------------------------------------------------------------------------

def saver(operation, name):
    """Return how to save what `name` stands for: a function, and the place of the value among a call's values."""
    place = [*operation.parameters, *operation.outputs].index(name)
    if name not in operation.outputs:
        return save_input, place
    number = operation.outputs.index(name)
    if number and not operation.takes_all_grads:
        return save_input, place                # not an output of the node
    return save_result, place


def measurer(operation, name):
    """Return the same for a plain value, or for what is measured of a tensor."""
    argument, measure = measured(operation, name)
    return MEASURES[measure][1] if measure else lambda value: value, operation.parameters.index(argument)


def measured(operation, name):
    """Return ("self", "_shape") for "self_shape", the name of what is measured of an argument; or (name, None)."""
    argument, _, ending = name.rpartition("_")
    if name not in operation.parameters and f"_{ending}" in MEASURES:
        return argument, f"_{ending}"
    return name, None


def shape_of(value):
    if isinstance(value, (list, tuple)):
        return [shape_of(one) for one in value]
    return value._array.shape if hasattr(value, "_array") else ()


# What a formula may name of an argument: how it ends, how PyTorch's name for it ends, how it is found.
MEASURES = {"_shape": ("sym_sizes", shape_of),
            "_strides": ("sym_strides", lambda value: element_strides(value._array)),
            "_numel": ("sym_numel", lambda value: value._array.size),
            "_dim": ("dim", lambda value: value._array.ndim),
            "_sizesopt": ("sym_sizes_opt", lambda value: (0,) if value is None else shape_of(value)),
            **{f"_size{d}": (f"sym_argsize_{d}", lambda value, d=d: value._array.shape[d]) for d in range(3)}}


# --- the attributes that show it ----------------------------------------------------------------------------

def shown_name(name, operation):
    """Return the name under which a saved value shows; PyTorch calls a saved shape `self_sym_sizes`."""
    argument, measure = measured(operation, name)
    return name if measure is None else f"{argument}_{MEASURES[measure][0]}"


def saved_attribute(name):
    """Return the getter behind `grad_fn._saved_<name>`: a tensor with its history, a plain value, or None."""
    def get(node):
        plan = node._plan
        if name in plan.tensor_names:
            place = plan.tensor_names.index(name)
            if isinstance(node._kept, Freed) and node._kept.absent and node._kept.absent[place]:
                return None
            value = node._kept[place]
            shown = with_history(value, node._versions[place], node, looking=True)
            return tuple(shown) if isinstance(value, SavedList) else shown
        if name in plan.constant_names:
            value = node._constants[plan.constant_names.index(name)]
            return value if name in SCALARS else without_sign(value)
        return None
    return get


def raw_saved_attribute(name):
    """Return the getter behind `grad_fn._raw_saved_<name>`."""
    def get(node):
        names = node._plan.tensor_names
        if name not in names:
            return SavedTensor.of(node, None)
        place = names.index(name)
        if isinstance(node._kept, tuple) and isinstance(node._kept[place], SavedList):
            return tuple([SavedTensor.of(node, place, i) for i in range(len(node._kept[place].items))])
        return SavedTensor.of(node, place)
    return get


# The plain values that stand for an element of a tensor, unlike dimensions, indices and counts.
SCALARS = {"alpha", "beta", "delta", "eps", "exponent", "max", "min", "negative_slope", "ord", "other", "p",
           "self", "threshold", "value", "weight"}


def without_sign(value):
    """Return whole numbers as PyTorch shows them, without their sign: dimension -1 as 18446744073709551615."""
    if isinstance(value, tuple):
        return tuple([without_sign(one) for one in value])
    return value + 2 ** 64 if isinstance(value, int) and value < 0 else value
