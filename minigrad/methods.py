"""What a tensor can do: methods, operators and functions, gathered from where they are defined.

Each module lists at its end what it offers: ``METHODS`` (which are also functions of the package,
the same objects), ``METHODS_ONLY``, ``FUNCTIONS_ONLY``, ``IN_PLACE`` (operations whose in-place
form ``<name>_`` follows) and ``OPERATORS``, a dictionary of what has another name on tensors.
"""
from importlib import import_module
from types import FunctionType

from .autograd.inplace import in_place
from .tensor import Tensor

MODULES = """
attributes conversion creation detach dtypes printing state
autograd.grad_mode autograd.gradients autograd.hooks
ops.arithmetic ops.comparison ops.cumulative ops.elementwise ops.expansion ops.extremes
ops.indexing ops.joining ops.masks ops.matmul ops.powers ops.products ops.rearrange ops.reduction
ops.scatter ops.shape ops.slicing ops.softmax ops.sorting ops.writing
random.generator random.sampling
"""


def gather():
    """Give `Tensor` its methods; return the functions of the package by name."""
    functions = {}
    for name in MODULES.split():
        module = import_module(f".{name}", __package__)
        functions.update(offered(module, "METHODS") | offered(module, "FUNCTIONS_ONLY"))
        methods = offered(module, "METHODS") | offered(module, "METHODS_ONLY")
        for name, operation in offered(module, "IN_PLACE").items():
            methods[f"{name}_"] = getattr(operation, "in_place", None) or in_place(operation)
        for name, method in (methods | getattr(module, "OPERATORS", {})).items():
            setattr(Tensor, name, method)
    for name, function in functions.items():
        if isinstance(function, FunctionType):
            function.__name__ = function.__qualname__ = name
    return functions


def offered(module, kind):
    """Return what a module lists under METHODS, METHODS_ONLY, FUNCTIONS_ONLY or IN_PLACE."""
    return {name: getattr(module, name) for name in getattr(module, kind, "").split()}


FUNCTIONS = gather()
