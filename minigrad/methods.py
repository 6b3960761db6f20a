"""What a tensor can do: methods, operators and functions, gathered from their modules.

Each module lists at its end what it offers, as a string of names or as a dictionary
``{public name: object}``:

    METHODS         methods that are also functions of the package: the same objects
    METHODS_ONLY    methods (and properties) alone
    FUNCTIONS_ONLY  functions (and classes) of the package alone
    IN_PLACE        operations whose in-place form is the method ``<name>_``
    OPERATORS       a dictionary of what tensors have under other names
"""
from importlib import import_module
from types import FunctionType

from .autograd.inplace import in_place
from .tensor import Tensor
from .vocabulary import absent, closest, more_module, more_names, offer_names

LOADED_AT_ONCE = """
attributes conversion creation detach dtypes state
autograd.grad_mode autograd.gradients autograd.hooks
ops.arithmetic ops.choosing ops.comparison ops.dimensions ops.division ops.elementwise
ops.expansion ops.indexing ops.matmul ops.piecewise ops.powers ops.products
ops.reduction ops.shape ops.slicing ops.writing
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
            if isinstance(one, FunctionType):       # errors and help show this name
                one.__name__ = one.__qualname__ = name
    methods |= getattr(module, "OPERATORS", {})
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


# --- names that are loaded on demand --------------------------------------------------

class LoadedLater:
    """A method that isn't loaded yet: its first use loads the module."""
    def __init__(self, name):
        self.name = name

    def __get__(self, tensor, kind):
        load_operations(self.name)      # puts the method itself in the place of this
        return vars(Tensor)[self.name].__get__(tensor, kind)


def load_operations(name):
    """Attach all that the module with this name offers; return its functions."""
    functions = attach(more_module(__package__, name))
    vars(import_module(__package__)).update(functions)
    return functions


def offer_functions(names, submodules):
    """Return the ``__getattr__`` and the ``__dir__`` of the package itself."""
    get_part, list_names = offer_names(__package__, names, submodules)

    def get(name):
        if name in more_names(__package__):
            return load_operations(name)[name]
        return get_part(name)

    return get, list_names


def refuse_method(self, name):
    """Raise the error for a name that `Tensor` doesn't have; its ``__getattr__``."""
    if not name.startswith("_"):
        in_pytorch = import_module(f"{__package__}.more.absent").OF_TENSORS.split()
        known = tuple(dir(self))
        if name.rstrip("_") in in_pytorch or closest(name, known):
            raise absent(f"{__package__}.Tensor", name, known)
    kind = type(self).__name__          # PyTorch doesn't have it either, and says so
    message = f"{kind!r} object has no attribute {name!r}"
    raise AttributeError(message, name=name, obj=None)


FUNCTIONS = attach_core()
for _name in more_names(f"{__package__}.Tensor"):
    setattr(Tensor, _name, LoadedLater(_name))
Tensor.__getattr__ = refuse_method
