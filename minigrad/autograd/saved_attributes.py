"""The attributes of nodes that show what they saved.

    y = x * w
    y.grad_fn._saved_other              # w, if x requires a gradient
    y.grad_fn._raw_saved_other          # a SavedTensor, on which hooks can be put
"""
import numpy as np

from ..tensor import wrap
from .node import WHY_FREED, Freed
from .saved import (
    NOTHING,
    SavedByHooks,
    SavedList,
    SavedResult,
    WrappedNumber,
    saved_tensor,
)

NOT_FOR_USERS = "Trying to create a SavedTensor object from Python is forbidden."
FREED = (
    "Calling register_hooks on a saved tensor after it has been freed. "
    + WHY_FREED.format("variables"))
HAS_HOOKS = (
    "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: "
    "only one pair of hooks is allowed at a time.")
NOTHING_SAVED = "Calling register_hooks on a saved tensor with value None is forbidden"
# Other whole numbers show without their sign, as in PyTorch: -1 as 2 ** 64 - 1.
SIGNED = "alpha beta exponent max min ord other self threshold value weight".split()


def saved_attribute(name):
    """Return the getter of `grad_fn._saved_<name>`: a tensor, plain value, or None."""
    def get(node):
        plan = node._plan
        if name in plan.constants:
            value = node._constants[plan.constants.index(name)]
            return value if name in SIGNED else without_sign(value)
        if name not in plan.saved_names:
            return None
        i = plan.saved_names.index(name)
        if node._versions[i] is None:
            return None             # it was NOTHING, which may be freed by now
        if isinstance(node._values[i], WrappedNumber):
            return SavedTensor(node, i).data
        return saved_tensor(node, i, in_formula=False)
    return get


def without_sign(value):
    if isinstance(value, tuple):
        return tuple(map(without_sign, value))
    return value % 2 ** 64 if type(value) is int else value


def raw_saved_attribute(name):
    """Return the getter of `grad_fn._raw_saved_<name>`: a SavedTensor, or several."""
    def get(node):
        names = [*node._plan.saved_names, name]     # the last: it was not saved
        saved = SavedTensor(node, names.index(name), node)
        value = saved._value()
        return saved_tensors_of(value, node) if isinstance(value, SavedList) else saved
    return get


def saved_tensors_of(owner, node):
    """Return a SavedTensor for each value of `owner`: the node, or a list in it."""
    values = owner._values or ()        # a loop over what was freed raises
    return tuple([SavedTensor(owner, i, node) for i, _ in enumerate(values)])


class SavedTensor:
    """One value of a node, or of a `SavedList` in it; hooks can still be put on it."""

    __module__ = "torch._C._autograd"       # printed as in PyTorch

    def __init__(self, owner=None, index=None, node=None):
        if owner is None:
            raise RuntimeError(NOT_FOR_USERS)
        self._owner = owner
        self._index = index
        self._node = node

    def _value(self):
        """Return the saved value, or None if it was freed or there is none."""
        saved = self._owner._values
        if not isinstance(saved, tuple) or self._index >= len(saved):
            return None
        value = saved[self._index]
        return None if value is NOTHING else value

    @property
    def data(self):
        """The tensor; of a result, without its history; what a pack hook returned."""
        value = self._value()
        if isinstance(value, WrappedNumber):
            return wrap(np.asarray(value.number))       # as the program wrote it
        if isinstance(value, SavedResult):
            return value.with_history(None)
        if isinstance(value, SavedByHooks):
            return value.packed
        return value

    @property
    def unpack_hook(self):
        """The function that will be asked for the tensor, or None."""
        return getattr(self._value(), "unpack_hook", None)

    def register_hooks(self, pack_hook, unpack_hook):
        """Replace the saved tensor by ``pack_hook(tensor)``.

        When the tensor is needed, ``unpack_hook(packed)`` must return it.  Raises
        RuntimeError if nothing is saved, or if there are hooks already.
        """
        owner, i, value = self._owner, self._index, self._value()
        if isinstance(owner._values, Freed) and i < len(owner._versions):
            raise RuntimeError(FREED)
        if isinstance(value, SavedByHooks):
            raise RuntimeError(HAS_HOOKS)
        if value is None:
            raise RuntimeError(NOTHING_SAVED)
        is_result = isinstance(value, SavedResult)
        tensor = value.with_history(owner) if is_result else self.data
        packed = SavedByHooks(tensor, is_result, (pack_hook, unpack_hook))
        self._node._is_plain = False    # a function of the user unpacks what it saved
        owner._values = (*owner._values[:i], packed, *owner._values[i + 1:])
