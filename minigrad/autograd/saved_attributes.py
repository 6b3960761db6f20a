"""The attributes of nodes that show what they saved.

    y = x * w
    y.grad_fn._saved_other              # w, if x requires a gradient
    y.grad_fn._raw_saved_other          # a SavedTensor, on which hooks can be put
"""
import numpy as np

from ..tensor import wrap
from .node import WHY_FREED, Freed
from .saved import NOTHING, SavedList, SavedResult, WrappedNumber, tensor_of
from .saved_hooks import SavedByHooks

# Plain values that stand for an element of a tensor.  Other whole numbers, such as dimensions, show
# without their sign, as in PyTorch: -1 as 18446744073709551615.
SCALARS = ("alpha beta delta eps exponent max min negative_slope ord other p self threshold value "
           "weight").split()


def saved_attribute(name):
    """Return the getter of `grad_fn._saved_<name>`: a tensor with its history, a value, or None."""
    def get(node):
        plan, kept = node._plan, node._kept
        if name in plan.constants:
            value = node._constants[plan.constants.index(name)]
            return value if name in SCALARS else without_sign(value)
        i = [*plan.saved_names, name].index(name)
        if i == len(plan.saved_names) or node._versions[i] is None:     # None: it was NOTHING
            return None
        is_number = isinstance(kept[i], WrappedNumber)      # it shows as it was written
        return SavedTensor(node, i).data if is_number else tensor_of(node, i, False)
    return get


def without_sign(value):
    if isinstance(value, tuple):
        return tuple([without_sign(one) for one in value])
    return value + 2 ** 64 if isinstance(value, int) and value < 0 else value


def raw_saved_attribute(name):
    """Return the getter of `grad_fn._raw_saved_<name>`: a SavedTensor, or a tuple of them."""
    def get(node):
        saved = SavedTensor(node, [*node._plan.saved_names, name].index(name))
        values = saved._value()
        if isinstance(values, SavedList):
            return tuple([SavedTensor(values, i) for i in range(len(values._kept))])
        return saved
    return get


class SavedTensor:
    """One value that a node, or a `SavedList`, keeps; hooks can be put on it after the fact."""
    __module__ = "torch._C._autograd"       # printed as in PyTorch

    def __init__(self, owner=None, index=None):
        if owner is None:
            raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")
        self._owner, self._index = owner, index

    def _value(self):
        kept = self._owner._kept
        value = kept[self._index] if isinstance(kept, tuple) and self._index < len(kept) else None
        return None if value is NOTHING else value

    @property
    def data(self):
        """The tensor; of a result, without its history; after a pack hook, what that returned."""
        value = self._value()
        if isinstance(value, WrappedNumber):
            return wrap(np.asarray(value.number))
        if isinstance(value, SavedResult):
            return value.with_history(None)
        return value.packed if isinstance(value, SavedByHooks) else value

    @property
    def unpack_hook(self):
        """The function that will be asked for the tensor, or None."""
        return getattr(self._value(), "unpack_hook", None)

    def register_hooks(self, pack_hook, unpack_hook):
        """Replace the saved tensor by ``pack_hook(tensor)``; ``unpack_hook`` returns it later.

        Raises RuntimeError if nothing is saved, or if there are hooks already.
        """
        owner, value = self._owner, self._value()
        if isinstance(owner._kept, Freed) and self._index < len(owner._versions):
            raise RuntimeError("Calling register_hooks on a saved tensor after it has been freed. "
                               + WHY_FREED.format("variables"))
        if isinstance(value, SavedByHooks):
            raise RuntimeError("Calling register_hooks on a saved tensor whose hooks have already "
                               "been set. Hint: only one pair of hooks is allowed at a time.")
        if value is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is "
                               "forbidden")
        is_result = isinstance(value, SavedResult)
        tensor = value.with_history(owner) if is_result else self.data
        packed = SavedByHooks(tensor, is_result, (pack_hook, unpack_hook))
        owner._kept = (*owner._kept[:self._index], packed, *owner._kept[self._index + 1:])
