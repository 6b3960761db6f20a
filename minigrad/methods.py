"""What a tensor can do: methods, operators and functions, gathered from their modules.

Each module lists at its end what it offers, as a string of names or as a dictionary
``{public name: object}``:

    METHODS         methods that are also functions of the package: the same objects
    METHODS_ONLY    methods (and properties) alone
    FUNCTIONS_ONLY  functions (and classes) of the package alone
    IN_PLACE        operations whose in-place form is the method ``<name>_``
    ATTRIBUTES      what tensors have under another name than the object's own,
                    such as operators and properties; the objects keep their names
"""
from importlib import import_module
from types import FunctionType

from .autograd.inplace import in_place
from .tensor import Tensor
from .vocabulary import absent, absent_names, more_module, more_names

# Making a tensor, and what every program does with it.
LOADED_AT_ONCE = """
attributes conversion creation detach dtypes state
autograd.grad_mode autograd.hooks ops.arithmetic ops.choosing ops.elementwise
"""
# Loaded when a name is first used: importing all of it would take twice as long.
LOADED_LATER = {
    "autograd.gradients": "backward",
    "ops.comparison": """
        allclose eq eq_ equal ge ge_ gt gt_ isclose isfinite isinf isnan le le_ lt lt_
        ne ne_ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __and__ __rand__ __iand__
        __or__ __ror__ __ior__ __xor__ __rxor__ __ixor__ __invert__
    """,
    "ops.dimensions": "diag diagonal t transpose unsqueeze",
    "ops.expansion": "broadcast_tensors expand expand_as sum sum_to_size",
    "ops.extremes": "argmax argmin max min",
    "ops.indexing": "__getitem__ __setitem__",
    "ops.joining": "cat stack _stack chunk split unbind __iter__",
    "ops.matmul": "addmm matmul __matmul__",
    "ops.norm": "norm",
    "ops.piecewise": """
        abs abs_ ceil ceil_ clone floor floor_ neg neg_ relu relu_ round round_ sign
        sign_ __abs__ __neg__ __pos__
    """,
    "ops.reduction": "all any count_nonzero mean",
    "ops.shape": "contiguous flatten reshape view view_as",
    "ops.softmax": "log_softmax logsumexp softmax",
    "ops.writing": "copy_ fill_ zero_",
    "printing": "set_printoptions __repr__ __format__",
    "random.generator": """
        Generator get_rng_state initial_seed manual_seed set_rng_state
    """,
    "random.sampling": "bernoulli_ normal_ rand randint randn randperm uniform_",
    "utils.serialization": "load save",
}
MODULE_OF = {
    name: f".{module}" for module, names in LOADED_LATER.items()
    for name in names.split()}
# Of these names, those that tensors don't have, and those that only tensors have.
NO_METHODS = """
Generator broadcast_tensors cat get_rng_state initial_seed load manual_seed rand randint
randn randperm save set_printoptions set_rng_state stack
"""
METHODS_ALONE = """
_stack backward bernoulli_ ceil_ contiguous copy_ eq_ expand expand_as floor_ ge_
gt_ le_ lt_ ne_ neg_ normal_ abs_ relu_ round_ sign_ sum_to_size uniform_ view view_as
__abs__ __and__ __eq__ __format__ __ge__ __getitem__ __gt__ __iand__ __invert__ __ior__
__iter__ __ixor__ __le__ __lt__ __matmul__ __ne__ __neg__ __or__ __pos__ __rand__
__repr__ __ror__ __rxor__ __setitem__ __xor__
"""


def attach(module):
    """Give `Tensor` the methods that a module lists, and return its functions."""
    shared = listed(module, "METHODS")
    functions = shared | listed(module, "FUNCTIONS_ONLY")
    methods = shared | listed(module, "METHODS_ONLY")
    for name, operation in listed(module, "IN_PLACE").items():
        # A few operations bring an in-place form of their own.
        own = getattr(operation, "in_place", None)
        methods[f"{name}_"] = own or in_place(operation)
    for name, function in (methods | functions).items():
        for one in (function, getattr(function, "__wrapped__", None)):
            # Errors and help show this name; tracebacks keep that of the source.
            if isinstance(one, FunctionType):
                one.__name__ = one.__qualname__ = name
    methods |= getattr(module, "ATTRIBUTES", {})
    for name, method in methods.items():
        setattr(Tensor, name, method)
    return functions


def listed(module, kind):
    """Return what a module lists as METHODS, or the like, by public name."""
    names = getattr(module, kind, "")
    if isinstance(names, dict):
        return names
    return {name: getattr(module, name) for name in names.split()}


def attach_core():
    """Attach all that is loaded at once; return the functions by name."""
    functions = {}
    for name in LOADED_AT_ONCE.split():
        functions |= attach(import_module(f".{name}", __package__))
    return functions


class LoadedLater:
    """A method that isn't loaded yet: its first use loads the module."""
    def __init__(self, name):
        self.name = name

    def __get__(self, tensor, kind):
        load_operations(self.name)      # puts the method itself in the place of this
        return vars(Tensor)[self.name].__get__(tensor, kind)

    def __set__(self, tensor, value):
        load_operations(self.name)      # a property may have a setter
        setattr(tensor, self.name, value)


def load_operations(name):
    """Attach all that the module with this name offers; return its functions."""
    if name in MODULE_OF:
        module = import_module(MODULE_OF[name], __package__)
    else:
        module = more_module(__package__, name)
    functions = attach(module)
    vars(import_module(__package__)).update(functions)
    return functions


def load_function(package, name):
    """Return a function of the package that is loaded later; None if there is none."""
    if name in LATER_FUNCTIONS or name in more_names(package):
        return load_operations(name)[name]
    return None


class NotHere:
    """A method that PyTorch's tensors have and these don't: its use says so.

    A ``Tensor.__getattr__`` would see every name, and cost a tenth of each operation:
    Python reads the attributes of a class that has one in the slow way.
    """
    def __init__(self, name):
        self.name = name

    def __get__(self, tensor, kind):
        raise absent(f"{__package__}.Tensor", self.name)


def dir_of_tensor(self):
    """Return the names of a tensor's attributes, but not those that it only refuses."""
    return [name for name in object.__dir__(self)
            if not isinstance(vars(Tensor).get(name), NotHere)]


FUNCTIONS = attach_core()
LATER_FUNCTIONS = set(MODULE_OF) - set(METHODS_ALONE.split())
LATER_METHODS = set(MODULE_OF) - set(NO_METHODS.split())
for _name in LATER_METHODS | more_names(f"{__package__}.Tensor"):
    setattr(Tensor, _name, LoadedLater(_name))
for _name in absent_names("Tensor"):
    setattr(Tensor, _name, NotHere(_name))
Tensor.__dir__ = dir_of_tensor
