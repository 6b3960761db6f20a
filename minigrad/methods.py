"""What a tensor can do: every method, operator and function, gathered from the modules that define them.

Each module lists at its end what it offers: ``METHODS`` (which are also functions of the package, the same
objects), ``METHODS_ONLY``, ``FUNCTIONS_ONLY``, ``IN_PLACE`` (operations whose in-place form ``<name>_`` follows
from them) and ``OPERATORS``, a dictionary of what has another name on the tensor.
"""
from __future__ import annotations

from . import attributes, conversion, creation, detaching, printing
from .autograd import gradients, hooks
from .autograd.inplace import in_place
from .ops import (
    arithmetic,
    comparison,
    cumulative,
    einsum,
    elementwise,
    expansion,
    extremes,
    index_select,
    indexing,
    joining,
    masks,
    matmul,
    rearrange,
    reduction,
    scatter,
    shape,
    slicing,
    softmax,
    sorting,
    splitting,
    writing,
)
from .random import generator, tensors
from .tensor import Tensor

MODULES = (
    attributes, conversion, creation, detaching, printing, gradients, hooks, arithmetic, comparison,
    cumulative, einsum, elementwise, expansion, extremes, index_select, indexing, joining, masks, matmul,
    rearrange, reduction, scatter, shape, slicing, softmax, sorting, splitting, writing, generator, tensors)


def gather():
    """Give `Tensor` its methods; return the functions of the package by name."""
    functions = {}
    for module in MODULES:
        def offered(kind, module=module):
            return {name: getattr(module, name) for name in getattr(module, kind, "").split()}

        functions.update(offered("METHODS") | offered("FUNCTIONS_ONLY"))
        methods = offered("METHODS") | offered("METHODS_ONLY") | getattr(module, "OPERATORS", {})
        for name, operation in offered("IN_PLACE").items():
            methods[f"{name}_"] = getattr(operation, "in_place", None) or in_place(operation)
        for name, method in methods.items():
            setattr(Tensor, name, method)
    return functions


FUNCTIONS = gather()
