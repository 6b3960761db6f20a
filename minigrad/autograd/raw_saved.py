"""Saved tensors as objects: what ``grad_fn._raw_saved_<name>`` gives, to look at or to hang hooks on."""
from __future__ import annotations

from .nodes import Freed
from .packed import SavedByHooks
from .saved import DETACHED, SavedList, SavedResult, SavedTensor


def unchecked(kept, node):
    """What was kept, also if it was written since."""
    if isinstance(kept, SavedTensor):
        return kept.tensor
    return kept.restored(node) if isinstance(kept, SavedResult) else kept.shown(node)


class RawSavedTensor:
    """``grad_fn._raw_saved_<name>``: one saved tensor of a node, on which hooks can be put after the fact."""

    def __init__(self):
        raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")

    @classmethod
    def of(cls, node, *place):
        """`place`: its number among what the node saved, and perhaps in a list there."""
        made = cls.__new__(cls)
        made._node, made._place = node, place
        return made

    @property
    def data(self):
        """What is kept: the tensor itself, a result without its history, or what the pack hook made of it.
        None where nothing is kept, or no more."""
        kept = self._kept()
        return None if kept is None else kept.raw()

    @property
    def unpack_hook(self):
        """The function that will be asked for the tensor, or None."""
        return getattr(self._kept(), "unpack_hook", None)

    def unpack(*args):
        """The tensor with its history, or None."""
        if len(args) != 1:
            raise unlike("unpack", ") -> torch.Tensor", args, {})
        self, = args
        kept = self._kept()
        if isinstance(kept, SavedResult):
            raise RuntimeError(DETACHED)        # PyTorch's words; nobody says which node's result it is
        return None if kept is None else kept.unpack(self._node)

    def register_hooks(*args, **names):
        """``register_hooks(pack_hook, unpack_hook)``: put the saved tensor into another form now;
        `pack_hook(tensor)` is called at once.

        Raises:
            RuntimeError: nothing is saved there, or it has hooks already, or `pack_hook` wrote to its input.
        """
        if len(args) != 3 or names or not callable(args[1]) or not callable(args[2]):
            callables = ", arg0: collections.abc.Callable, arg1: collections.abc.Callable"
            raise unlike("register_hooks", callables + ") -> None", args, names)
        self, *hooks = args
        if isinstance(self._node._kept, Freed) and None not in self._place:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values "
                "of the graph are freed when you call .backward() or autograd.grad(). Specify "
                "retain_graph=True if you need to backward through the graph a second time or if you need to "
                "access saved variables after calling backward.")
        kept = self._kept()
        if isinstance(kept, SavedByHooks):
            raise RuntimeError("Calling register_hooks on a saved tensor whose hooks have already been set. "
                               "Hint: only one pair of hooks is allowed at a time.")
        tensor = None if kept is None else unchecked(kept, self._node)
        if tensor is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        self._node._kept = replaced(self._node._kept, self._place, SavedByHooks(
            tensor, tensor.grad_fn is self._node, hooks, tensor.detach()))

    def _kept(self):
        kept = self._node._kept
        for i in self._place:
            if i is None or not isinstance(kept, (tuple, SavedList)):
                return None
            kept = kept[i]
        return kept

    def __repr__(self):
        return f"<torch._C._autograd.SavedTensor object at {id(self):#x}>"


def replaced(kept, place, new):
    """What a node keeps, with `new` at one place."""
    if not place:
        return new
    i, *rest = place
    items = [*kept]
    items[i] = replaced(kept[i], rest, new)
    return tuple(items) if isinstance(kept, tuple) else SavedList(items)


def unlike(name, signature, args, names):
    """The error of a call with the wrong arguments."""
    given = ", ".join([repr(one) for one in args])
    if names:
        given += "; kwargs: " + ", ".join([f"{name}={value!r}" for name, value in names.items()])
    return TypeError(f"{name}(): incompatible function arguments. The following argument types are "
                     f"supported:\n    1. (self: torch._C._autograd.SavedTensor{signature}\n\n"
                     f"Invoked with: {given}")


RawSavedTensor.__name__ = RawSavedTensor.__qualname__ = "SavedTensor"
