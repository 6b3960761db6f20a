"""How a node keeps what its formulas name: an argument, a result, or only the shape of one."""
from __future__ import annotations

import numpy as np

from ..memory import element_strides
from ..errors import noted
from ..state import local
from ..tensor import Tensor
from .packed import SavedByHooks
from .saved import INFERENCE_SAVED, NOTHING, SavedArray, SavedList, SavedResult, SavedTensor

hooks_in_force = set()      # the threads that are inside a `saved_tensors_hooks` block


def use_hooks(state, hooks):
    """Let these pairs of hooks be in force in the thread whose state is given."""
    state.saved_tensors_hooks = hooks
    (hooks_in_force.add if hooks else hooks_in_force.discard)(state)


def keeper(operation, name):
    """How to keep what `name` stands for: a function, and the place of its argument among a call's values, which are
    its arguments and its results in order."""
    argument, measure = measured(operation, name)
    place = [*operation.parameters, *operation.outputs].index(argument)
    if measure:
        return MEASURES[measure][1], place
    if name not in operation.outputs:
        return (keep_input if operation.is_tensor(name) else itself), place
    number = operation.outputs.index(name)
    if number and not operation.takes_all_grads:
        return keep_input, place                # not an output of the node
    return (lambda result: keep_result(result, number)), place


def itself(value):
    return value


def keep_input(value):
    if isinstance(value, Tensor):
        if value._extra is not None and value._extra.inference:
            raise noted(RuntimeError(INFERENCE_SAVED))
        if hooks_in_force and local.state.saved_tensors_hooks:
            return SavedByHooks(value, False)
        return SavedTensor(value)
    if value is None:
        return NOTHING
    if isinstance(value, (list, tuple)):
        return SavedList([keep_input(v) for v in value])
    return value if isinstance(value, SavedArray) else SavedArray(np.asarray(value))


def keep_result(tensor, output_nr):
    if hooks_in_force and local.state.saved_tensors_hooks:
        return SavedByHooks(tensor, True)
    if tensor._array.dtype.kind != "f":
        return SavedTensor(tensor)      # such as indices: no node stands behind them, so no cycle arises
    return SavedResult(tensor, output_nr)


def measured(operation, name):
    """("self", "_shape") for "self_shape", the name of what may be kept of an argument; else (name, None)."""
    argument, _, ending = name.rpartition("_")
    if name not in operation.parameters and f"_{ending}" in MEASURES:
        return argument, f"_{ending}"
    return name, None


def shape_of(value):
    if isinstance(value, (Tensor, SavedArray)):
        return value._array.shape
    return [shape_of(v) for v in value] if isinstance(value, (list, tuple)) else np.shape(value)


# What a formula may name of an argument: how it ends, how PyTorch's name for it ends, how it is found.
MEASURES = {"_shape": ("sym_sizes", shape_of),
            "_strides": ("sym_strides", lambda value: element_strides(value._array)),
            "_numel": ("sym_numel", lambda value: value._array.size),
            "_dim": ("dim", lambda value: value._array.ndim),
            "_sizesopt": ("sym_sizes_opt", lambda value: (0,) if value is None else shape_of(value)),
            **{f"_size{d}": (f"sym_argsize_{d}", lambda value, d=d: value._array.shape[d]) for d in range(3)}}
