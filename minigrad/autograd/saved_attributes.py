"""The attributes of nodes that show what they saved.

    y = x * w
    y.grad_fn._saved_other              # w, if x requires a gradient
    y.grad_fn._raw_saved_other          # the place where it is kept, on which hooks can be put
"""
from __future__ import annotations

import numpy as np

from ..tensor import wrap
from .node import Freed
from .saved import NOTHING, SavedList, SavedResult, WrappedNumber, with_history
from .saved_hooks import SavedByHooks

# Plain values that stand for an element of a tensor.  Other whole numbers, such as dimensions, show
# without their sign, as in PyTorch: -1 as 18446744073709551615.
SCALARS = {"alpha", "beta", "delta", "eps", "exponent", "max", "min", "negative_slope", "ord", "other",
           "p", "self", "threshold", "value", "weight"}


def saved_attribute(name):
    """Return the getter behind `grad_fn._saved_<name>`: a tensor with its history, a value, or None."""
    def get(node):
        plan, kept = node._plan, node._kept
        if name in plan.constants:
            value = node._constants[plan.constants.index(name)]
            return value if name in SCALARS else without_sign(value)
        if name not in plan.tensors:
            return None
        place = plan.tensors.index(name)
        if isinstance(kept, Freed) and kept.absent and kept.absent[place]:
            return None
        if isinstance(kept[place], WrappedNumber):
            return wrap(np.asarray(kept[place].number))
        shown = with_history(kept[place], node._versions[place], node)
        return tuple(shown) if isinstance(shown, list) else shown
    return get


def without_sign(value):
    if isinstance(value, tuple):
        return tuple([without_sign(one) for one in value])
    return value + 2 ** 64 if isinstance(value, int) and value < 0 else value


def raw_saved_attribute(name):
    """Return the getter behind `grad_fn._raw_saved_<name>`."""
    def get(node):
        place = node._plan.tensors.index(name) if name in node._plan.tensors else None
        value = SavedTensor.of(node, place)._value()
        if isinstance(value, SavedList):
            return tuple([SavedTensor.of(node, place, i) for i in range(len(value.items))])
        return SavedTensor.of(node, place)
    return get


class SavedTensor:
    """One saved value of a node, on which hooks can be put after the fact."""

    def __init__(self):
        raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")

    @classmethod
    def of(cls, node, place, item=None):
        """Return the object for saved value number `place` (None: there is none), or an item of it."""
        made = cls.__new__(cls)
        made._node, made._place, made._item = node, place, item
        return made

    def _value(self):
        kept = self._node._kept
        if self._place is None or kept is None or isinstance(kept, Freed):
            return None
        value = kept[self._place] if self._item is None else kept[self._place].items[self._item]
        return None if value is NOTHING else value

    @property
    def data(self):
        """What is kept: the tensor, a result without its history, or what the pack hook returned."""
        value = self._value()
        if isinstance(value, SavedByHooks):
            return value.packed
        if isinstance(value, WrappedNumber):
            return wrap(np.asarray(value.number))
        return value.constant() if isinstance(value, SavedResult) else value

    @property
    def unpack_hook(self):
        """The function that will be asked for the tensor, or None."""
        return getattr(self._value(), "unpack_hook", None)

    def register_hooks(self, pack_hook, unpack_hook):
        """Replace the saved tensor by ``pack_hook(tensor)``; ``unpack_hook`` returns it later.

        Raises RuntimeError if nothing is saved, if there are hooks, or if `pack_hook` writes to its input.
        """
        node, value = self._node, self._value()
        if isinstance(node._kept, Freed):
            raise RuntimeError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate "
                "values of the graph are freed when you call .backward() or autograd.grad(). Specify "
                "retain_graph=True if you need to backward through the graph a second time or if you "
                "need to access saved variables after calling backward.")
        if isinstance(value, SavedByHooks):
            raise RuntimeError("Calling register_hooks on a saved tensor whose hooks have already been "
                               "set. Hint: only one pair of hooks is allowed at a time.")
        if value is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        is_result = isinstance(value, SavedResult)
        tensor = value.with_history(node) if is_result else self.data
        packed = SavedByHooks(tensor, is_result, (pack_hook, unpack_hook), tensor.detach())
        values = list(node._kept)
        target, place = (values, self._place) if self._item is None else (
            values[self._place].items, self._item)
        target[place] = packed
        node._kept = tuple(values)

    def __repr__(self):
        return f"<torch._C._autograd.SavedTensor object at {id(self):#x}>"
