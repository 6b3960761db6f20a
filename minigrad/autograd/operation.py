"""How an operation is declared: a function on arrays, and the gradient of each input.

    @differentiable("MulBackward0",
                    self=lambda grad, other: grad * other,
                    other=lambda grad, self: grad * self)
    def mul(self, other):
        return self * other

Each keyword names an input that is a tensor, and gives the formula of its gradient
(None: a tensor that takes no gradient, such as an index).  **The parameters of a
formula are what the node saves**: ``grad`` comes first; then an argument, the
``result``, or only an argument's shape (``self_shape``; see MEASURES in recording.py).
As in PyTorch, an argument that a single formula names is left out when this formula
does not run, because its input takes no gradient; results, and what two formulas name,
are saved in any case.  They show as ``grad_fn._saved_<name>``, unless the name begins
with an underscore.

A formula runs on arrays in an ordinary backward pass, and on tensors when the pass is
itself recorded (create_graph=True).  So it uses operators and the operations of this
package: an operation given arrays returns an array.  A formula that needs NumPy tells
the two apart with the functions of ops/declaring.py.  None mentions broadcasting or
dtypes: the engine sums a gradient to the shape of its input, and casts it.

Operations with several results name them, ``outputs=("values", "indices")``.  A formula
whose first parameter is ``grads`` gets the gradients of all results, as a list;
otherwise only the first result is differentiable.  An input called ``tensors`` is a
list, whose formula returns a list of gradients.
"""
from functools import cached_property

from .calling import binary_function, general_function, unary_function
from .recording import MEASURES, OperationNode, Plan, measured, parameters_of, saved_by
from .saved_attributes import raw_saved_attribute, saved_attribute

NO_DEFAULTS = (
    "an operation has no default parameters; give them to the function that calls it")
# The signatures of operations that are NumPy's own functions.
ONE_TENSOR, TWO_TENSORS = (lambda self: ...), (lambda self, other: ...)


def differentiable(node_name, outputs=("result",), name=None, **formulas):
    """Make an operation on tensors out of a function on arrays and its formulas.

    The function may be a NumPy ufunc, whose parameters are ``self`` and ``other``; it
    then needs no Python call of its own.  `name` stands in messages for the function's
    own.

    Raises TypeError if a formula names neither an argument nor a result, or if the
    function has default parameters, which belong to the public function.
    """
    def declare(forward):
        operation = Operation(
            name or forward.__name__, node_name, forward, outputs, formulas)
        function = function_for(operation)
        function.operation = operation
        function.__name__ = function.__qualname__ = operation.name
        function.__doc__ = forward.__doc__
        function.__module__ = getattr(forward, "__module__", None)
        if hasattr(forward, "__code__"):
            function.__wrapped__ = forward      # its signature is what help() shows
        else:
            function.__wrapped__ = ONE_TENSOR if forward.nin == 1 else TWO_TENSORS
        return function
    return declare


def function_for(operation):
    """Return the function that users call, in the quickest form that fits."""
    inputs, parameters = operation.tensor_inputs, operation.parameters
    tensors_first = inputs == parameters[:len(inputs)]
    all_differentiable = inputs == list(operation.formulas)
    has_one_result = operation.outputs == ("result",)
    if tensors_first and all_differentiable and has_one_result:
        if len(inputs) == 1 and not operation.takes_lists:
            return unary_function(operation)
        if operation.is_binary:
            return binary_function(operation)
    return general_function(operation)


class Operation:
    """All that is known about one operation once it is declared."""

    # For `sub` alone: a function that raises if an operand is a bool.
    refuse = None
    # For an operation whose results share the memory of its input: views.make_view, not
    # a flag, as views.py imports this module.
    make_view = None

    def __init__(self, name, node_name, forward, outputs, formulas):
        if getattr(forward, "__defaults__", None):
            # What a node saves is found by its place among the arguments.
            raise TypeError(f"{name}: {NO_DEFAULTS}")
        self.name = name
        self.node_name = node_name
        self.forward = forward
        self.outputs = outputs
        self.parameters = parameters_of(forward)
        self.tensor_inputs = [name for name in self.parameters if name in formulas]
        self.tensor_names = {*self.tensor_inputs, *outputs}
        self.is_binary = len(self.tensor_inputs) == 2 == len(self.parameters)
        for name, formula in formulas.items():
            self.check_names(name, formula)
        self.formulas = {
            name: formulas[name] for name in self.tensor_inputs if formulas[name]}
        self.positions = [self.parameters.index(name) for name in self.formulas]
        self.takes_lists = "tensors" in self.formulas
        first_parameters = [parameters_of(one)[0] for one in self.formulas.values()]
        self.takes_all_grads = "grads" in first_parameters
        self.plans = {}     # by which inputs take a gradient

    def check_names(self, name, formula):
        """Raise TypeError for a formula that names what the operation does not have."""
        if name not in self.parameters:
            raise TypeError(
                f"{self.name}: there is no argument '{name}' to give a gradient to; "
                f"it has {', '.join(self.parameters)}")
        for wanted in saved_by(formula) if formula else ():
            argument, _ = measured(wanted, self.parameters)
            if argument not in (*self.parameters, *self.outputs):
                raise TypeError(
                    f"{self.name}: the formula for '{name}' names '{wanted}', which is "
                    "neither an argument nor a result")

    def plan(self, needed):
        """Return the plan for the inputs that take a gradient, marked in `needed`."""
        plan = self.plans.get(needed)
        if plan is None:
            plan = self.plans[needed] = Plan(self, needed)
        return plan

    @cached_property
    def node_type(self):
        """The class of the nodes that a program sees, made when it first sees one."""
        attributes = {
            "__slots__": (), "__module__": "builtins", "__doc__": self.forward.__doc__
        }
        names = {name for one in self.formulas.values() for name in saved_by(one)}
        for name in names:
            argument, measure = measured(name, self.parameters)
            shown = f"{argument}_{MEASURES[measure][0]}" if measure else name
            if name[0] != "_" and name != "tensors_shape":      # PyTorch shows neither
                attributes[f"_saved_{shown}"] = property(saved_attribute(name))
            if name in self.tensor_names:
                attributes[f"_raw_saved_{name}"] = property(raw_saved_attribute(name))
        class_name = self.node_name.rpartition("::")[2]
        return type(class_name, (OperationNode,), attributes)
