"""Plans: what the node of an operation saves, and how gradients come of it.

    mul, both inputs take a gradient    saves self and other
    mul, only `self` takes one          saves other: grad * other needs no more

Such a plan is made once for each case, when it first occurs.
"""
from ..memory import element_strides
from ..places import PACKAGE
from ..state import local, next_sequence_nr, unusual_threads
from ..tensor import Tensor
from .node import Node, recording_observers
from .saved import SavedResult, save_input, save_result, saved_array, saved_tensor


class Plan:
    """For one choice of the inputs that take a gradient: what is saved, and its use.

    ``save(node, values)`` stores on a node what the formulas need of a call's values,
    which are its arguments and results in order; it is None if they need no tensor.
    ``measure(values)`` returns the plain values that they need; it may be None, too.
    ``gradients(node, grad)`` evaluates the formulas on arrays, and
    ``tensor_formulas[i](node, grad, saved)`` that of input `i` on saved tensors.
    """

    def __init__(self, operation, needed):
        self.operation = operation
        formulas = operation.formulas.values()
        running = [formula if wanted else None
                   for formula, wanted in zip(formulas, needed)]
        names = [name for formula in formulas for name in saved_by(formula)]
        used = {name for formula in running if formula for name in saved_by(formula)}
        # As in PyTorch, left out is only an argument that one formula alone names, and
        # that formula does not run.  Results and what several name always stay.
        used.update([name for name in names if names.count(name) > 1])
        used.update(operation.outputs)
        tensors = operation.tensor_names & used
        names = dict.fromkeys(names)
        self.saved_names = [name for name in names if name in tensors]
        self.constants = [name for name in names if name not in operation.tensor_names]
        self.save = self.make_save()
        self.measure = self.make_measure(used)
        self.gradients = self.compile_on_arrays(running)
        self.tensor_formulas = [
            formula and self.compile_formulas(
                [formula], "node, grad, saved", "saved[{}]")
            for formula in running]

    def make_save(self):
        """Return the function `save`, or None."""
        operation = self.operation
        values = [*operation.parameters, *operation.outputs]
        results = operation.outputs
        # Of other results, such as indices, no gradient comes: they are like inputs.
        if not operation.takes_all_grads:
            results = results[:1]
        savers = [(save_result if name in results else save_input, values.index(name))
                  for name in self.saved_names]
        if len(savers) == 1:
            return save_one(*savers[0])
        return save_several(savers) if savers else None

    def make_measure(self, used):
        """Return the function `measure`, or None.

        Its source is put together: ``lambda values: (shape(values[0]), values[1],)``.
        """
        operation = self.operation
        values = [*operation.parameters, *operation.outputs]
        parts = []
        for name in self.constants:
            argument, ending = measured(name, operation.parameters)
            if ending == "strides" and name not in used:
                parts.append("(), ")        # as in PyTorch, which keeps every shape
                continue
            parts.append(f"{ending or ''}(values[{values.index(argument)}]), ")
        functions = {ending: function for ending, (_, function) in MEASURES.items()}
        if not parts:
            return None
        return compiled(f"lambda values: ({''.join(parts)})", functions)

    def compile_on_arrays(self, running):
        """Return one function of node and gradient that evaluates what runs.

        As in PyTorch, all that was saved is checked for writes: what no formula reads,
        too, in a function around the formulas.
        """
        gradients = self.compile_formulas(
            running, "node, grad", "read(node, {})", read=saved_array)
        read = {name for formula in running if formula for name in saved_by(formula)}
        unread = [i for i, name in enumerate(self.saved_names) if name not in read]
        if not unread:
            return gradients

        def check_and_evaluate(node, grad):
            for i in unread:
                saved_array(node, i)
            return gradients(node, grad)
        return check_and_evaluate

    def compile_formulas(self, formulas, parameters, place_of_saved, **functions):
        """Return one function with these parameters that evaluates some formulas.

        The source is put together: ``lambda node, grad: (f0(grad, read(node, 0)),
        f1(grad), )`` for two formulas, of which one needs the first saved value.
        """
        places = {name: place_of_saved.format(i)
                  for i, name in enumerate(self.saved_names)}
        for i, name in enumerate(self.constants):
            places[name] = f"node._constants[{i}]"
        calls = []
        for number, formula in enumerate(formulas):
            if formula is None:
                calls.append("None, ")
                continue
            functions[f"f{number}"] = formula
            arguments = ["grad", *[places[name] for name in saved_by(formula)]]
            calls.append(f"f{number}({', '.join(arguments)}), ")
        if self.operation.takes_lists:
            # Its one formula returns a list of gradients.
            source = calls[0].removesuffix(", ")
        else:
            source = f"({''.join(calls)})"
        return compiled(f"lambda {parameters}: {source}", functions)


def compiled(source, names):
    """Return the function with this source; tracebacks count it as part of minigrad."""
    code = compile(source, f"{PACKAGE}compiled formulas", "eval")
    return eval(code, {"__name__": __name__, **names})


def save_one(save, index):
    """Return a function that saves one value; lists would cost 4 % of an operation."""
    is_result = save is save_result

    def save_on(node, values):
        value = values[index]
        # A plain tensor is saved as it is; `save` knows all other cases.
        if type(value) is not Tensor or value._extra or unusual_threads:
            value = save(value)
        elif is_result:
            value = SavedResult(value)
        counter = value._counter
        node._values = (value,)
        node._versions = (0 if counter is None else counter.value,)
    return save_on


def save_several(savers):
    """Return a function that saves a value for each pair of `save` and index."""
    savers = [(save, index, save is save_result) for save, index in savers]

    def save_on(node, values):
        saved, versions = [], []
        for save, index, is_result in savers:
            value = values[index]
            if type(value) is not Tensor or value._extra or unusual_threads:
                value = save(value)
            elif is_result:
                value = SavedResult(value)
            counter = value._counter
            saved.append(value)
            versions.append(0 if counter is None else counter.value)
        node._values = tuple(saved)
        node._versions = tuple(versions)
    return save_on


def parameters_of(function):
    """Return the names of the parameters of a function, or of a NumPy ufunc."""
    # It takes a twentieth of the time of inspect.signature.
    code = getattr(function, "__code__", None)
    if code is None:
        return ["self", "other"][:function.nin]
    return list(code.co_varnames[:code.co_argcount])


def saved_by(formula):
    """Return the names of what a formula needs beside the gradient."""
    return parameters_of(formula)[1:]


def measure_shape(value):
    if type(value) is Tensor:
        return value._array.shape
    if isinstance(value, (list, tuple)):
        return [measure_shape(one) for one in value]
    return value._array.shape if hasattr(value, "_array") else ()


# What a formula may name of an argument: the ending, PyTorch's ending, how it is found.
MEASURES = {
    "shape": ("sym_sizes", measure_shape),
    "strides": ("sym_strides", lambda value: element_strides(value._array)),
    "numel": ("sym_numel", lambda value: value._array.size),
    "dim": ("dim", lambda value: value._array.ndim),
    "size0": ("sym_argsize_0", lambda value: value._array.shape[0]),
}


def measured(name, parameters):
    """Return ("self", "shape") for "self_shape", (name, None) for an argument."""
    argument, _, ending = name.rpartition("_")
    if ending in MEASURES and name not in parameters:
        return argument, ending
    return name, None


# --- the node that a call records -----------------------------------------------------
#     y = x * w       record(plan, (node of x, node of w), None, (x, w, y), y)

new_object = object.__new__


def record(plan, children, output_nrs, values, result):
    """Make a call's node and attach it to its result.

    `values` are all arguments and results of the call, from which the plan saves.
    """
    # What Node.__init__ does, spelled out: a call of the class costs as much again.
    node = new_object(OperationNode)
    node._plan = plan
    node._children = children
    node._output_nrs = output_nrs
    array = result._array
    node._shape = array.shape
    node._dtype = array.dtype
    node._sequence = next_sequence_nr()
    node._values = node._outputs = node._hooks = node._metadata = None
    # The loop for plain nodes delivers to the only output of each child.
    node._is_plain = output_nrs is None
    if unusual_threads and local.state.saved_tensors_hooks:
        node._is_plain = False      # a function of the user unpacks what it saved
    result._node = node
    result._requires_grad = True
    if plan.save is not None:
        plan.save(node, values)
    if plan.measure is not None:
        node._constants = plan.measure(values)
    for observe in recording_observers:
        observe(node)


class OperationNode(Node):
    """A node recorded by an operation that `differentiable` made.

    All of them are of this one class until a program looks at one, which then gets the
    class that carries its name: CPython is quicker where objects are of one class.
    """

    __slots__ = ("_plan", "_constants")

    def _shown(self):
        if type(self) is OperationNode:
            self.__class__ = self._plan.operation.node_type
        return self

    def name(self):
        return self._plan.operation.node_name

    def _gradients_of_tensors(self, grad, wanted=None):
        formulas = self._plan.tensor_formulas
        state = local.state
        state.pass_depth += 1       # also where a node is called outside of any pass
        try:
            # As in PyTorch, all of it, whatever the formulas that run need.
            saved = self._unpack()
            if self._plan.operation.takes_lists:
                return formulas[0](self, grad, saved)
            return [formula(self, grad, saved)[0]
                    if formula and (wanted is None or wanted(i)) else None
                    for i, formula in enumerate(formulas)]
        finally:
            state.pass_depth -= 1

    def _unpack(self):
        return [saved_tensor(self, i) for i in range(len(self._plan.saved_names))]
