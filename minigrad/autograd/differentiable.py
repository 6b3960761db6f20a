"""How an operation is defined: a NumPy function, and the gradient of each of its inputs.

    @differentiable("MulBackward0",
                    self=lambda grad, other: grad * other,
                    other=lambda grad, self: grad * self)
    def mul(self, other):
        return self * other

Each keyword names an input that is a tensor and gives the formula of its gradient (None: it is a tensor that
takes no gradient, such as an index).  What a formula needs is what its parameters name: ``grad``, an
argument, the ``result``, or only an argument's shape (``self_shape``, ``self_strides``, ``self_numel``).
Exactly that is saved, and nothing for an input that takes no gradient.  It shows as
``grad_fn._saved_<name>``, unless the name begins with an underscore.

A formula runs on arrays in an ordinary backward pass and on tensors when the pass is itself recorded
(create_graph=True), so it is written with operators and the operations of this package, never with NumPy: an
operation given arrays returns an array.  It never mentions broadcasting or dtypes: the engine sums a gradient
back to the shape of what its node produced, and casts it.

Operations with several results name them, ``outputs=("values", "indices")``.  A formula whose first parameter
is ``grads`` gets the gradients of all results, as a list; otherwise only the first result is differentiable.
"""
from __future__ import annotations

from functools import cached_property

from ..arguments import like
from ..state import local
from .nodes import Freed, Node
from .operations import of_several, of_one, of_two
from .raw_saved import RawSavedTensor
from .saved import SavedList
from .saving import MEASURES, keeper, measured


def differentiable(node_name, outputs=("result",), **formulas):
    """Make an operation on tensors out of a function on arrays and the formulas of its gradients.

    Raises:
        TypeError: a formula names something that is neither an argument nor a result; the message says which.
    """
    def decorate(forward):
        operation = Operation(node_name, forward, formulas, outputs)
        kind = of_several
        if operation.is_plain():
            kind = of_one if len(operation.tensors) == 1 else of_two if len(operation.parameters) == 2 else of_several
        function = like(forward, kind(operation), forward.__name__)
        function.operation = operation
        return function
    return decorate


class Operation:
    """All that is known about one operation once it is defined."""

    def __init__(self, node_name, forward, formulas, outputs):
        self.name, self.node_name, self.forward, self.outputs = forward.__name__, node_name, forward, outputs
        self.parameters = parameters_of(forward)
        self.tensors = [name for name in self.parameters if name in formulas]
        self.check_names(formulas)
        self.formulas = {name: formulas[name] for name in self.tensors if formulas[name]}
        self.positions = [self.parameters.index(name) for name in self.formulas]
        self.has_lists = "tensors" in self.formulas        # an argument of this name is a list of tensors
        self.takes_all_grads = any([parameters_of(formula)[0] == "grads" for formula in self.formulas.values()])
        self.needs_float = False    # whether a result of whole numbers is an error where a gradient is wanted
        self.with_number = None     # what a formula records in its place beside a plain number
        self.refuse = None          # what objects to two arrays, or an array and a number, of unlike dtypes
        self.casts_first = False    # whether its node casts gradients itself, before they are summed
        self.plans = {}

    @cached_property
    def node_type(self):
        """The class of the nodes; made when the first is recorded, as a program uses few operations."""
        names = dict.fromkeys(name for formula in self.formulas.values() for name in parameters_of(formula)[1:])
        node_name = self.node_name
        return type(node_name.rpartition("::")[2], (OperationNode,), {
            "__slots__": (), "__module__": "builtins", "__doc__": self.forward.__doc__, "operation": self,
            "name": lambda node: node_name,
            **{f"_saved_{shown_name(name, self)}": property(saved_attribute(name))
               for name in names if name[0] != "_" and name != "tensors_shape"},
            **{f"_raw_saved_{name}": property(raw_saved_attribute(name)) for name in names if self.is_tensor(name)}})

    def check_names(self, formulas):
        known = {*self.parameters, *self.outputs,
                 *[name + ending for name in self.parameters for ending in MEASURES]}
        for name, formula in formulas.items():
            if name not in self.parameters:
                raise TypeError(f"{self.name}: there is no argument '{name}' to give a gradient to; it has "
                                f"{', '.join(self.parameters)}")
            for wanted in parameters_of(formula)[1:] if formula else ():
                if wanted not in known:
                    raise TypeError(
                        f"{self.name}: the formula for '{name}' names '{wanted}', which is neither an "
                        f"argument nor a result; there are {', '.join(sorted(known))}")

    def is_plain(self):
        """Whether all tensors come first and take gradients, and there is one result."""
        count = len(self.tensors)
        return (self.outputs == ("result",) and len(self.formulas) == count and not self.has_lists
                and self.parameters[:count] == self.tensors)

    def is_tensor(self, name):
        return name in self.tensors or name in self.outputs

    def plan(self, *needed):
        """What to save and to compute where exactly the inputs for which `needed` is true take a gradient."""
        if needed not in self.plans:
            self.plans[needed] = Plan(self, needed)
        return self.plans[needed]


def parameters_of(function):
    """The names of a function's parameters (inspect.signature is twenty times as slow, at each import)."""
    code = function.__code__
    return list(code.co_varnames[:code.co_argcount])


class Plan:
    """For one choice of the inputs that take a gradient: what a node saves, and the formulas it evaluates."""

    def __init__(self, operation, needed):
        formulas = [formula if wanted else None for formula, wanted in zip(operation.formulas.values(), needed)]
        names = list(dict.fromkeys(name for formula in formulas if formula for name in parameters_of(formula)[1:]))
        self.tensor_names = [name for name in names if operation.is_tensor(name)]
        self.constant_names = [name for name in names if not operation.is_tensor(name)]
        self.keep_tensors = together([keeper(operation, name) for name in self.tensor_names])
        self.keep_constants = together([keeper(operation, name) for name in self.constant_names])
        order = [*self.tensor_names, *self.constant_names]
        self.formulas = [formula and (formula, [order.index(name) for name in parameters_of(formula)[1:]])
                         for formula in formulas]
        self.has_lists = operation.has_lists
        if len(formulas) <= 2 and not self.has_lists and not self.constant_names:
            self.gradients = quick(formulas, [places for _, places in filter(None, self.formulas)])

    def gradients(self, node, grad, wanted=None):
        """The gradients of the inputs, computed on arrays."""
        values = [kept.array(node) for kept in node._kept] if self.tensor_names else []
        return self.evaluate([*values, *node.constants] if self.constant_names else values, grad, wanted)

    def gradients_as_tensors(self, node, grad, wanted=None):
        """The same on tensors, each with its history, so that the computation is itself recorded."""
        values = [kept.unpack(node) for kept in node._kept] if self.tensor_names else []
        return self.evaluate([*values, *node.constants] if self.constant_names else values, grad, wanted)

    def evaluate(self, values, grad, wanted):
        if self.has_lists:
            (formula, places), = self.formulas
            return tuple(formula(grad, *[values[i] for i in places]))
        results = []
        for i, one in enumerate(self.formulas):
            if one is None or wanted is not None and not wanted(i):
                results.append(None)
            else:
                formula, places = one
                results.append(formula(grad, *[values[j] for j in places]))
        return results


def together(keepers):
    """The function from a call's values to what is kept of them, or None."""
    if not keepers:
        return None
    (first, i), *others = keepers
    if not others:
        return lambda values: (first(values[i]),)
    if len(others) == 1:
        (second, j), = others
        return lambda values: (first(values[i]), second(values[j]))
    return lambda values: [keep(values[place]) for keep, place in keepers]


def quick(formulas, places):
    """`Plan.gradients` for one or two formulas of at most two saved tensors each, spelled out for speed."""
    def alone(formula, places):
        if not places:
            return lambda node, grad: formula(grad)
        if len(places) == 1:
            i, = places
            return lambda node, grad: formula(grad, node._kept[i].array(node))
        return lambda node, grad: formula(grad, *[node._kept[i].array(node) for i in places])

    places = iter(places)
    first, *rest = [formula and alone(formula, next(places)) for formula in formulas]
    if not rest:
        return lambda node, grad, wanted=None: (first(node, grad),)
    second, = rest
    if first is None or second is None:
        return lambda node, grad, wanted=None: (first and first(node, grad), second and second(node, grad))
    return lambda node, grad, wanted=None: (
        first(node, grad) if wanted is None or wanted(0) else None,
        second(node, grad) if wanted is None or wanted(1) else None)


class OperationNode(Node):
    """A node recorded by an operation that `differentiable` made."""

    __slots__ = ("_plan", "constants")

    operation: Operation

    def on_arrays(self, grad, wanted=None):
        return self._plan.gradients(self, grad, wanted)

    def on_tensors(self, grad, wanted=None):
        state = local.state
        outer, state.in_formula = state.in_formula, {}
        state.pass_depth += 1           # also where a node is called, outside of any pass
        try:
            return self._plan.gradients_as_tensors(self, grad, wanted)
        finally:
            state.in_formula = outer
            state.pass_depth -= 1

    def check_saved(self):
        if self._kept is not None:
            for kept in self._kept:
                kept.array(self)


def shared(function):
    return function


# --- the attributes that show what a node saved -------------------------------------------------------------

def shown_name(name, operation):
    """PyTorch calls a saved shape `self_sym_sizes`."""
    argument, measure = measured(operation, name)
    return name if measure is None else f"{argument}_{MEASURES[measure][0]}"


def raw_saved_attribute(name):
    """The getter behind `grad_fn._raw_saved_<name>`."""
    def get(node):
        names = node._plan.tensor_names
        if name not in names:
            return RawSavedTensor.of(node, None)
        place = names.index(name)
        kept = None if isinstance(node._kept, Freed) else node._kept[place]
        if isinstance(kept, SavedList):
            return tuple([RawSavedTensor.of(node, place, i) for i, _ in enumerate(kept)])
        return RawSavedTensor.of(node, place)
    return get


def saved_attribute(name):
    """The getter behind `grad_fn._saved_<name>`: a tensor with its history, a plain value, or None."""
    def get(node):
        if name in node._plan.tensor_names:
            return node._kept[node._plan.tensor_names.index(name)].shown(node)
        if name in node._plan.constant_names:
            value = node.constants[node._plan.constant_names.index(name)]
            return value if name in SCALARS else without_sign(value)
        return None
    return get


# What stands for an element of a tensor, unlike dimensions, indices and counts.
SCALARS = {"alpha", "beta", "delta", "eps", "exponent", "input_scale", "lambd", "max", "max_val", "min",
           "min_val", "negative_slope", "ord", "other", "p", "scale", "self", "threshold", "value", "weight"}


def without_sign(value):
    """PyTorch shows its 64-bit integers as if they had no sign: dimension -1 as 18446744073709551615."""
    if isinstance(value, tuple):
        return tuple([without_sign(v) for v in value])
    return value + 2 ** 64 if isinstance(value, int) and value < 0 else value
