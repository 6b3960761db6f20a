"""What a tensor can do: every method and operator, gathered from the modules that define them.

Each module of operations lists at its end what it offers: ``METHODS`` (also the functions ``torch.<name>``),
``METHODS_ONLY``, ``FUNCTIONS_ONLY``, ``IN_PLACE`` (operations whose in-place form ``<name>_`` follows from
them) and ``OPERATORS`` (``{"__add__": ...}``).
"""
from __future__ import annotations

from . import conversion, copying, counting, creation, detaching, legacy, limits, metadata, placement, random_ops
from .autograd import gradients, hooks
from .autograd.inplace import in_place
from .messages import function_form
from .ops import activation, bitwise, blending, clamping, division, pairs, powers, rectifiers, special
from .ops import addmm, cumulative, einsum, factorisations, matrices, norms, products, softmax, sorting
from .ops import axes, getitem, masks, positions, rearrange, scatter, slicing, splitting
from .ops import arithmetic, comparison, elementwise, indexing, joining, linalg, minmax, reduction, shape, writing
from .tensor import Tensor

MODULES = (axes, getitem, masks, positions, rearrange, scatter, slicing, splitting,
           arithmetic, comparison, elementwise, indexing, joining, linalg, minmax, reduction, shape, writing, conversion,
           counting, creation, legacy, placement, random_ops, gradients, hooks,
           activation, bitwise, blending, clamping, division, pairs, powers, rectifiers, special, copying, detaching, limits, metadata,
           addmm, cumulative, einsum, factorisations, matrices, norms, products, softmax, sorting)


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
            functions[name] = function_form(getattr(module, name))
        for name in getattr(module, "IN_PLACE", "").split():
            write = in_place(getattr(module, name))
            setattr(Tensor, f"{name.strip('_')}_", write)
        for name, function in getattr(module, "OPERATORS", {}).items():
            setattr(Tensor, name, function)
    return functions


FUNCTIONS = attach()
