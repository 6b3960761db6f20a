"""What a tensor can do: every method and operator, gathered from the modules that define them.

Each module of operations lists at its end what it offers: ``METHODS`` (also the functions ``torch.<name>``),
``METHODS_ONLY``, ``FUNCTIONS_ONLY``, ``IN_PLACE`` (operations whose in-place form ``<name>_`` follows from
them) and ``OPERATORS`` (``{"__add__": ...}``).
"""
from __future__ import annotations

from . import (
    conversion,
    copying,
    counting,
    creation,
    detaching,
    legacy,
    limits,
    metadata,
    placement,
    printing,
    random_ops,
    warn,
)
from .autograd import gradients, hooks
from .autograd.inplace import in_place
from .messages import function_form
from .ops import (
    activation,
    addmm,
    arithmetic,
    axes,
    bitwise,
    blending,
    clamping,
    comparison,
    cumulative,
    dims,
    division,
    einsum,
    elementwise,
    factorisations,
    getitem,
    indexing,
    joining,
    linalg,
    masks,
    matrices,
    minmax,
    norms,
    pairs,
    positions,
    powers,
    products,
    rearrange,
    rectifiers,
    reduction,
    results,
    scatter,
    shape,
    slicing,
    softmax,
    sorting,
    special,
    splitting,
    writing,
)
from .tensor import Tensor

OPERATIONS = (
    activation, addmm, arithmetic, axes, bitwise, blending, clamping, comparison, cumulative, division,
    einsum, elementwise, factorisations, getitem, indexing, joining, linalg, masks, matrices, minmax, norms,
    pairs, positions, powers, products, rearrange, rectifiers, reduction, scatter, shape, slicing, softmax,
    sorting, special, splitting, writing)
MODULES = (
    *OPERATIONS, conversion, copying, counting, creation, detaching, gradients, hooks, legacy, limits,
    metadata, placement, printing, random_ops, warn)


def attach():
    """Give `Tensor` its methods; return the functions of the package by name."""
    functions = {}
    for module in MODULES:
        for name in getattr(module, "METHODS", "").split():
            functions[name] = function_form(getattr(module, name))
            setattr(Tensor, name, getattr(module, name))
        for name in getattr(module, "METHODS_ONLY", "").split():
            setattr(Tensor, name, getattr(module, name))
        for name in getattr(module, "FUNCTIONS_ONLY", "").split():
            function = getattr(module, name)
            functions[name] = function_form(function) if hasattr(function, "counts_arguments") else function
        for name in getattr(module, "IN_PLACE", "").split():
            write = in_place(getattr(module, name))
            setattr(Tensor, f"{name.strip('_')}_", write)
        for name, function in getattr(module, "OPERATORS", {}).items():
            setattr(Tensor, name, function)
    for name in results.NAMES.split():
        functions[name] = results.with_out(functions[name])
    for name in dims.NUMPY_SPELLED.split():
        functions[name] = dims.numpy_spelled(functions[name])
        if hasattr(Tensor, name):
            setattr(Tensor, name, dims.numpy_spelled(getattr(Tensor, name)))
    return functions


FUNCTIONS = attach()
