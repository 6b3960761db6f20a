"""How to keep on a node what its formulas name: worked out once, when an operation records its first node.

A *keeper* takes from the values of a call, arguments and results in order, the one that a name stands for.
"""
from __future__ import annotations

from operator import itemgetter

import numpy as np

from ..memory import element_strides
from ..notes import noted
from ..tensor import Tensor
from .grad_mode import local
from .packed import SavedByHooks
from .saved import INFERENCE_SAVED, NOTHING, SavedArray, SavedList, SavedResult, SavedTensor

hooks_in_force = set()      # the threads that are inside a `saved_tensors_hooks` block


def use_hooks(state, hooks):
    """Let these pairs of hooks be in force in the thread whose state is given."""
    state.saved_tensors_hooks = hooks
    (hooks_in_force.add if hooks else hooks_in_force.discard)(state)


def save_together(keepers):
    """The function from a call's values to the tuple kept of them; None where there is nothing to keep."""
    if not keepers:
        return None
    if len(keepers) == 1:
        keep, = keepers
        return lambda values: (keep(values),)
    if len(keepers) == 2:
        first, second = keepers
        return lambda values: (first(values), second(values))
    if len(keepers) == 3:
        first, second, third = keepers
        return lambda values: (first(values), second(values), third(values))
    return lambda values: tuple([keep(values) for keep in keepers])


def tensor_keeper(operation, name):
    """How to keep one tensor that a formula names: an argument or a result.  `values` are both, in order."""
    if name in operation.outputs:
        number = operation.outputs.index(name)
        i = len(operation.parameters) + number
        if number and not operation.takes_all_grads:
            return lambda values: keep_input(values[i])     # not an output of the node

        def keep(values):
            value = values[i]
            if not hooks_in_force and value._array.dtype.kind == "f":
                return SavedResult(value, number)       # the common case
            return keep_result(value, number)
        return keep
    i = operation.parameters.index(name)

    def keep(values):
        value = values[i]
        if type(value) is Tensor and not hooks_in_force and (
                value._extra is None or not value._extra.inference):
            return SavedTensor(value)       # the common case
        return keep_input(value)
    return keep


def keep_result(tensor, output_nr):
    if hooks_in_force and local.state.saved_tensors_hooks:
        return SavedByHooks(tensor, True)
    if tensor._array.dtype.kind != "f":
        return SavedTensor(tensor)      # such as indices: no node stands behind them, so no cycle arises
    return SavedResult(tensor, output_nr)


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
    if isinstance(value, SavedArray):
        return value
    return SavedArray(np.asarray(value))


def constant_keeper(operation, name):
    """How to keep one plain value that a formula names: (measure, place) of the argument.

    The measure is None if the argument is kept itself.
    """
    argument, measure = measured(operation, name)
    return measure and MEASURES[measure][1], operation.parameters.index(argument)


def constants_together(keepers):
    """The function from a call's values to the tuple of plain ones; common cases are written out."""
    measures, places = [measure for measure, _ in keepers], [i for _, i in keepers]
    if len(keepers) > 1 and not any(measures):
        return itemgetter(*places)
    if keepers and measures[0] and len(keepers) <= 3 and not any(measures[1:]):
        measure, i, *others = measures[0], *places
        if not others:
            return lambda values: (measure(values[i]),)
        if len(others) == 1:
            j, = others
            return lambda values: (measure(values[i]), values[j])
        j, k = others
        return lambda values: (measure(values[i]), values[j], values[k])
    return save_together([kept_alone(measure, i) for measure, i in keepers])


def kept_alone(measure, i):
    if measure is None:
        return lambda values: values[i]
    return lambda values: measure(values[i])


def measured(operation, name):
    """("self", "_shape") for "self_shape", the name of what may be kept of an argument; else (name, None)."""
    argument, _, ending = name.rpartition("_")
    if name not in operation.parameters and f"_{ending}" in MEASURES:
        return argument, f"_{ending}"
    return name, None


def shape_of(value):
    if isinstance(value, (Tensor, SavedArray)):
        return value._array.shape
    if isinstance(value, (list, tuple)):
        return [shape_of(v) for v in value]
    return np.shape(value)


# What a formula may name of an argument: how it ends, how PyTorch's name for it ends, how it is found.
MEASURES = {"_shape": ("sym_sizes", shape_of),
            "_strides": ("sym_strides", lambda value: element_strides(value._array)),
            "_numel": ("sym_numel", lambda value: value._array.size),
            "_dim": ("dim", lambda value: value._array.ndim),
            "_sizesopt": ("sym_sizes_opt", lambda value: (0,) if value is None else shape_of(value)),
            **{f"_size{d}": (f"sym_argsize_{d}", lambda value, d=d: value._array.shape[d]) for d in range(3)}}
