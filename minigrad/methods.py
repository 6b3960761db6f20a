"""What a tensor can do: every method and operator, gathered from the modules that define them.

Each module of operations lists at its end what it offers: ``METHODS`` (also the functions ``torch.<name>``),
``METHODS_ONLY``, ``FUNCTIONS_ONLY``, ``IN_PLACE`` (operations whose in-place form ``<name>_`` follows from
them) and ``OPERATORS`` (``{"__add__": ...}``).
"""
from __future__ import annotations

from types import FunctionType

from . import (
    attributes,
    conversion,
    copying,
    counting,
    creation,
    detaching,
    legacy,
    limits,
    printing,
)
from .arguments import function_form, method_form
from .autograd import gradients, hooks
from .autograd.inplace import in_place
from .ops import (addmm, expansion, getitem, indexing, joining, linalg, masks, pointwise, positions, rearrange, reductions, results, scatter, shape, slicing, splitting, writing)  # noqa
from .random import generator, random_ops
from .tensor import Tensor

OPERATIONS = (pointwise, addmm, reductions, expansion, getitem, indexing, joining, linalg, masks, positions, rearrange, scatter, shape, slicing, splitting, writing)
MODULES = (
*OPERATIONS, attributes, conversion, copying, counting, creation, detaching, generator, gradients, hooks, legacy,
    limits, printing, random_ops)


def attach():
    """Give `Tensor` its methods; return the functions of the package by name."""
    functions = {}
    for module in MODULES:
        for name in getattr(module, "METHODS", "").split():
            if not hasattr(module, name): continue
            functions[name] = function_form(getattr(module, name), name)
            setattr(Tensor, name, checked(getattr(module, name), name))
        for name in getattr(module, "METHODS_ONLY", "").split():
            if not hasattr(module, name): continue
            setattr(Tensor, name, checked(getattr(module, name), name))
        for name in getattr(module, "FUNCTIONS_ONLY", "").split():
            if not hasattr(module, name): continue
            function = getattr(module, name)
            functions[name] = function_form(function, name) if is_function(function) else function
        for name in getattr(module, "IN_PLACE", "").split():
            if not hasattr(module, name): continue
            write = in_place(getattr(module, name))
            setattr(Tensor, f"{name.strip('_')}_", write)
        for name, function in getattr(module, "OPERATORS", {}).items():
            setattr(Tensor, name, function)
    for name in WRITING_FUNCTIONS:
        if not hasattr(Tensor, name): continue
        functions[name] = function_form(getattr(Tensor, name), name)
    for name in results.NAMES.split():
        if name not in functions: continue
        functions[name] = results.with_out(functions[name].__wrapped__, name)
    for name in reductions.NUMPY_SPELLED.split():
        if name not in functions: continue
        functions[name] = reductions.numpy_spelled(functions[name])
        if hasattr(Tensor, name):
            setattr(Tensor, name, reductions.numpy_spelled(getattr(Tensor, name)))
    return functions


# In-place forms that are functions, too.
WRITING_FUNCTIONS = """
abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ asin_ asinh_ atan_ atanh_ ceil_
clamp_ clamp_max_ clamp_min_ clip_ cos_ cosh_ deg2rad_ erf_ erfc_ exp2_ exp_ expm1_ fix_ floor_ frac_ log10_
log1p_ log2_ log_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ round_ rsqrt_ sin_ sinc_ sinh_ sqrt_
square_ tan_ tanh_ trunc_ xlogy_
""".split()


def checked(method, name):
    """A method whose errors are PyTorch's; operations, and the quick ones, see to that themselves."""
    if name in QUICK or not is_function(method) or hasattr(method, "operation"):
        return method
    return method_form(method, name)


# Methods so quick, or called so often, that the look after their errors would be felt.
QUICK = """
backward clone cpu data_ptr detach detach_ dim double expand float item long nelement numel numpy
register_hook requires_grad_ reshape retain_grad size stride t to tolist type view zero_
""".split()


def is_function(value):
    return type(value) is FunctionType


FUNCTIONS = attach()
