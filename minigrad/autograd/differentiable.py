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
from .grad_mode import local
from .nodes import Freed, Node
from .operations import binary, general, unary
from .raw_saved import RawSavedTensor
from .saved import SavedList
from .saving import (
    MEASURES,
    constant_keeper,
    constants_together,
    measured,
    save_together,
    tensor_keeper,
)


def differentiable(node_name, outputs=("result",), **formulas):
    """Make an operation on tensors out of a function on arrays and the formulas of its gradients.

    Raises:
        TypeError: a formula names something that is neither an argument nor a result; the message says which.
    """
    def decorate(forward):
        operation = Operation(node_name, forward, formulas, outputs)
        if operation.is_plain() and len(operation.tensors) == 1:
            function = unary(operation)
        elif operation.is_plain() and len(operation.parameters) == 2:
            function = binary(operation)
        else:
            function = general(operation)
        function = like(forward, function, forward.__name__)
        function.operation = operation
        return function
    return decorate


class Operation:
    """All that is known about one operation once it is defined."""

    def __init__(self, node_name, forward, formulas, outputs):
        self.name = forward.__name__
        self.forward = forward
        self.parameters = parameters_of(forward)
        self.outputs = outputs
        self.tensors = [name for name in self.parameters if name in formulas]
        self.check_names(formulas)
        self.formulas = {name: Formula(self, formulas[name]) for name in self.tensors if formulas[name]}
        self.positions = [self.parameters.index(name) for name in self.formulas]
        self.has_lists = "tensors" in self.formulas        # an argument of this name is a list of tensors
        self.takes_all_grads = any(formula.takes_all for formula in self.formulas.values())
        self.node_name = node_name
        self.needs_float = False    # whether a result of whole numbers is an error where a gradient is wanted
        self.with_number = None     # what a formula records in its place beside a plain number
        # products call their second factor one of these; and what has a dimension goes along it
        self.elementwise = not {"mat2", "vec", "tensor", "dim", "dims", "diagonal"}.intersection(
            self.parameters)
        # whether a formula reads the gradient first, and so lays out its own like it: a module of elementwise
        # operations says so once for all of them, and then of which it is not true
        self.gradient_first = forward.__globals__.get("GRADIENT_FIRST", False)
        self.casts_first = False    # whether its node casts gradients itself, before they are summed
        self.refuse = None          # what objects to two arrays, or an array and a number, of unlike dtypes
        self._plans = {}

    @cached_property
    def node_type(self):
        """The class of the nodes; made when the first is recorded, as a program uses few operations."""
        node_name = self.node_name
        return type(node_name.rpartition("::")[2], (OperationNode,), {
            "__slots__": (), "__module__": "builtins", "__doc__": self.forward.__doc__, "operation": self,
            "name": lambda node: node_name,
            **{f"_saved_{shown_name(name, self)}": property(saved_attribute(name))
               for name in self.names_saved() if name[0] != "_" and name != "tensors_shape"},
            **{f"_raw_saved_{name}": property(raw_saved_attribute(name))
               for name in self.names_saved() if self.is_tensor(name)}})

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
        """Whether all tensors stand first and take gradients, and there is one result: the quick cases."""
        count = len(self.tensors)
        return (self.outputs == ("result",) and len(self.formulas) == count and not self.has_lists
                and self.parameters[:count] == self.tensors)

    def names_saved(self):
        return dict.fromkeys(name for formula in self.formulas.values() for name in formula.wanted)

    def uses(self, name):
        """How many formulas need it; what several do, PyTorch keeps in any case."""
        return sum([name in formula.wanted for formula in self.formulas.values()])

    def is_tensor(self, name):
        return name in self.tensors or name in self.outputs

    def plan(self, *needed):
        """What to save and to compute where exactly the inputs for which `needed` is true take a gradient."""
        plan = self._plans.get(needed)
        if plan is None:
            plan = self._plans[needed] = Plan(self, needed)
        return plan


def parameters_of(function):
    """The names of a function's parameters (inspect.signature is twenty times as slow, at each import)."""
    code = function.__code__
    return list(code.co_varnames[:code.co_argcount])


class Formula:
    """The gradient of one input, and the names of what it needs."""

    def __init__(self, operation, function):
        first, *self.wanted = parameters_of(function)
        self.function = function
        self.takes_all = first == "grads"

    def on_arrays(self, plan):
        """The formula as a function of (node, grad) that reads the arrays its node saved."""
        formula = self.function
        places = plan.places(self.wanted)
        if not places:
            return lambda node, grad: formula(grad)
        if self.wanted == plan.constant_names:
            return lambda node, grad: formula(grad, *node.constants)
        if all(saved for saved, _ in places):       # the two commonest cases, spelled out for speed
            if len(places) == 1:
                (_, i), = places
                return lambda node, grad: formula(grad, node._kept[i].array(node))
            if len(places) == 2:
                (_, i), (_, j) = places
                return lambda node, grad: formula(grad, node._kept[i].array(node), node._kept[j].array(node))
        return lambda node, grad: formula(
            grad, *[node._kept[i].array(node) if saved else node.constants[i] for saved, i in places])

    def on_tensors(self, node, grad, kept):
        """The formula evaluated with tensors, each with its history: `kept` is what the node saved."""
        return self.function(grad, *[kept[i] if saved else node.constants[i]
                                     for saved, i in node._plan.places(self.wanted)])


class Plan:
    """For one choice of the inputs that take a gradient: the names to save and the formulas to run."""

    def __init__(self, operation, needed):
        self.formulas = [formula if wanted else None
                         for formula, wanted in zip(operation.formulas.values(), needed)]
        names = dict.fromkeys(name for formula in self.formulas if formula for name in formula.wanted)
        # like PyTorch, keep results and plain values also for the sake of a formula that will not run
        unused = [name for formula in operation.formulas.values() for name in formula.wanted
                  if name not in names and (name in operation.outputs or not operation.is_tensor(name)
                                            or "backward" in operation.name or operation.uses(name) > 1)]
        names.update(dict.fromkeys(unused))
        self.tensor_names = [name for name in names if operation.is_tensor(name)]
        self.constant_names = [name for name in names if not operation.is_tensor(name)]
        self.save = save_together([tensor_keeper(operation, name) for name in self.tensor_names])
        self.keep_constants = constants_together([self.constant_keeper(operation, name)
                                                  for name in self.constant_names])
        formulas = [formula and formula.on_arrays(self) for formula in self.formulas]
        self.gradients = chained(formulas[0]) if operation.has_lists else together(formulas)
        if any([operation.is_tensor(name) for name in unused]):
            self.gradients = after_check(self.gradients)

    def constant_keeper(self, operation, name):
        """The strides of an input, unlike its shape, are kept only if it takes a gradient."""
        argument, measure = measured(operation, name)
        if measure == "_strides" and not self.formulas[list(operation.formulas).index(argument)]:
            return (lambda value: ()), 0
        return constant_keeper(operation, name)

    def places(self, names):
        """For each name, (is it a saved tensor, its number among those)."""
        return [(True, self.tensor_names.index(name)) if name in self.tensor_names else
                (False, self.constant_names.index(name)) for name in names]


def together(formulas):
    """One function for all the formulas of a plan: (node, grad) to a tuple with a gradient for each input."""
    if not any(formulas):
        return lambda node, grad: (None,) * len(formulas)
    if len(formulas) == 1:
        first, = formulas
        return lambda node, grad: (first(node, grad),)
    if len(formulas) == 2:
        first, second = formulas
        if second is None:
            return lambda node, grad: (first(node, grad), None)
        if first is None:
            return lambda node, grad: (None, second(node, grad))
        return lambda node, grad: (first(node, grad), second(node, grad))
    return lambda node, grad: tuple([formula and formula(node, grad) for formula in formulas])


def after_check(gradients):
    """The same, where something was saved that no formula will ask for: nor may that have been written."""
    def checked(node, grad):
        node.check_saved()
        return gradients(node, grad)
    return checked


def chained(formula):
    """The same for an operation on a list of tensors: its one formula returns a gradient for each of them."""
    return lambda node, grad: tuple(formula(node, grad))


class OperationNode(Node):
    """A node recorded by an operation that `differentiable` made."""

    __slots__ = ("_plan", "constants")

    operation: Operation

    def complain(self, kept):
        """Of several modified tensors, name the one PyTorch names: inputs before results, each by name."""
        names, results = self._plan.tensor_names, self.operation.outputs
        for _, _, one in sorted([(name in results, name, one) for name, one in zip(names, self._kept)],
                                key=lambda entry: entry[:2]):
            if hasattr(one, "is_modified") and one.is_modified():
                one.raise_modified(self)
        kept.raise_modified(self)

    def check_saved(self):
        """All that was saved must still be what it was, even where only some of the gradients are wanted."""
        if self._kept is not None:
            for kept in self._kept:
                kept.array(self)

    def on_arrays(self, grad, wanted=None):
        if wanted is None or self.operation.has_lists:
            return self._plan.gradients(self, grad)
        self.check_saved()
        return tuple([formula.on_arrays(self._plan)(self, grad) if formula and wanted(i) else None
                      for i, formula in enumerate(self._plan.formulas)])

    def on_tensors(self, grad, wanted=None):
        kept = () if self._kept is None else [one.unpack(self) for one in self._kept]
        if self.operation.has_lists:
            wanted = None               # one formula for several edges
        state = local.state
        outer, state.in_formula = state.in_formula, {}
        state.pass_depth += 1           # also where a node is called, outside of any pass
        try:
            grads = [formula.on_tensors(self, grad, kept)
                     if formula and (wanted is None or wanted(i)) else None
                     for i, formula in enumerate(self._plan.formulas)]
        finally:
            state.in_formula = outer
            state.pass_depth -= 1
        return tuple(grads[0] if self.operation.has_lists else grads)


def shared(function):
    """Mark what several formulas of one node begin with: as in PyTorch it is recorded once for all."""
    def call(*args):
        made = local.state.in_formula
        if made is None:
            return function(*args)
        key = function, *map(id, args)
        if key not in made:
            made[key] = function(*args), args       # (no other object gets the id of one that is kept)
        return made[key][0]
    return like(function, call, function.__name__)


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
