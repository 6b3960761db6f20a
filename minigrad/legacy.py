"""Old ways to make a tensor, still met in tutorials: ``torch.Tensor(2, 3)``, ``torch.FloatTensor([1, 2])``.

Unlike ``torch.tensor`` they take whole numbers for a shape and lists for values, and never infer a dtype.
"""
from __future__ import annotations

import numpy as np

from . import dtypes
from .arguments import explain
from .creation import finish, size_of
from .errors import type_name
from .nested import array_from
from .ops.shape import alias
from .attributes import CPU, check_device, strided
from .state import local
from .tensor import INFERENCE_REQUIRES_GRAD, ONLY_FLOATS, Tensor, mark_inference, wrap
from .errors import warn_once


def new_tensor_object(cls, *args, device=None, data=None, **unknown):
    """``torch.Tensor(...)``: a shape, or values in nested lists, or another tensor; the default dtype."""
    args = args if data is None else (data, *args)
    check_call(args, device, unknown)
    made = made_from(args, None, dtypes.Default.numpy)
    if cls is Tensor:
        return made
    if made.grad_fn is None:
        return _make_subclass(cls, made)
    made.__class__ = cls
    return made


def check_call(args, device, unknown):
    if unknown or len(args) > 1 and not isinstance(args[0], (int, np.integer)):
        options = unknown if device is None else {"device": device, **unknown}
        raise explain("new", (None, *args), options, method=True) or TypeError("new() has no such form")
    check_device(device, "new")


def made_from(args, kind, default):
    """The tensor that these arguments describe; `kind`: the dtype that a tensor among them must have."""
    if not args:
        return finish(np.zeros(0, default))
    first = args[0]
    if isinstance(first, Tensor) and (len(args) == 1 and first._array.ndim or kind is None
                                      and len(args) == 1):
        if kind is not None and first._array.dtype != kind:
            raise TypeError(options_differ(kind, first))
        return alias(first)
    if len(args) == 1 and type(first).__name__ == "Size":
        return finish(np.zeros(tuple(first), default))
    if len(args) == 1 and not isinstance(first, (int, np.integer)) or isinstance(first, bool):
        if isinstance(first, (str, bytes)):
            raise TypeError(f"new(): invalid data type '{type(first).__name__}'")
        if not hasattr(first, "__len__"):
            raise TypeError(f"new(): data must be a sequence (got {type_name(first)})")
        return finish(array_from(first, default))
    return finish(np.zeros(size_of(args, None, "new"), default))


def new(self, *args, device=None, **unknown):
    """A tensor of this tensor's dtype, by the rules of ``torch.Tensor(...)``."""
    check_call(args, device, unknown)
    return made_from(args, self._array.dtype, self._array.dtype)


# --- one class for each dtype -------------------------------------------------------------------------------

class tensortype(type):
    """The type of ``torch.FloatTensor`` and its like: calling one makes a tensor, its instance."""

    def __call__(cls, *args, device=None, **unknown):
        check_call(args, device, unknown)
        return made_from(args, cls.dtype.numpy, cls.dtype.numpy)

    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype


tensortype.__module__ = "torch"
TENSOR_TYPES = {
    dtype.tensor_type[6:]: tensortype(dtype.tensor_type[6:], (), {
        "__module__": "torch", "__doc__": f"The old name for tensors of {dtype}.", "dtype": dtype,
        "is_cuda": False, "is_sparse": False, "layout": strided, "device": CPU})
    for dtype in dtypes.ALL}
globals().update(TENSOR_TYPES)


# --- subclasses ---------------------------------------------------------------------------------------------

def _make_subclass(cls, data, require_grad=False):
    """A leaf of the class `cls` around the same memory, with the same version, as the tensor `data`."""
    if not isinstance(data, Tensor):
        raise TypeError("_make_subclass(): argument 'data' (position 2) must be Tensor, not "
                        f"{type_name(data)}")
    made = wrap(data._array, cls)
    made._counter = data._get_counter()
    if data.is_inference():
        mark_inference(made)
    if require_grad:
        if made.is_inference() and not local.state.inference:
            raise RuntimeError(INFERENCE_REQUIRES_GRAD)
        made._set_requires_grad(True, ONLY_FLOATS)
    return made


@classmethod
def note_subclass(cls, **keywords):
    """The first class of one's own makes all operations look for its tensors; see overrides.py."""
    super(Tensor, cls).__init_subclass__(**keywords)
    is_own = cls.__module__.partition(".")[0] != __name__.partition(".")[0]
    if is_own and (not hasattr(cls, "_is_plain_result") or "__torch_function__" in vars(cls)):
        from .overrides import install
        install()


METHODS_ONLY = """
new
"""
FUNCTIONS_ONLY = " ".join([*TENSOR_TYPES, "set_default_tensor_type"])
OPERATORS = {"__new__": staticmethod(new_tensor_object), "__init_subclass__": note_subclass,
             "_make_subclass": staticmethod(_make_subclass)}
