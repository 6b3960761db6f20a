"""``torch.overrides``: what a class derived from Tensor may do with the operations on its tensors.

Once a program has defined such a class, every function and method looks for its tensors among the
arguments, and if there are some, hands the call to the class's ``__torch_function__``.  The one that all
inherit computes as usual, and makes the results tensors of that class again.  Before that, nothing of this
costs anything.
"""
from __future__ import annotations

import sys
import threading

from .legacy import as_subclass
from .tensor import Tensor

PACKAGE = __name__.partition(".")[0]


class _State(threading.local):
    disabled = False


_state = _State()


class DisableTorchFunctionSubclass:
    """Within it, operations take tensors of all classes for plain ones."""

    def __enter__(self):
        self.before, _state.disabled = _state.disabled, True

    def __exit__(self, *exc):
        _state.disabled = self.before


@classmethod
def torch_function(cls, func, types, args=(), kwargs=None):
    """Call `func` as usual; tensors among the results become tensors of this class.

    A class of one's own overrides this, and mostly calls it in turn.  `types`: the classes among the
    arguments that have a ``__torch_function__``.
    """
    if not all([issubclass(cls, kind) for kind in types]):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        result = func(*args, **kwargs or {})
        return result if func in get_default_nowrap_functions() else of_class(result, cls)


def of_class(result, cls):
    if isinstance(result, Tensor):
        return result if cls is Tensor or isinstance(result, cls) else as_subclass(result, cls)
    if isinstance(result, (tuple, list)):
        parts = [of_class(part, cls) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


@classmethod
def _disabled_torch_function_impl(cls, func, types, args=(), kwargs=None):
    """For classes such as Parameter, whose results are plain tensors."""
    return NotImplemented


# --- looking for classes of one's own -----------------------------------------------------------------------

def has_torch_function(relevant_args):
    """Whether some of the arguments want a say in what an operation does with them."""
    return not _state.disabled and bool(classes_among(relevant_args))


def classes_among(values, found=None):
    """The classes with a ``__torch_function__`` among the values, subclasses before their bases."""
    found = [] if found is None else found
    for value in values:
        kind = type(value)
        if kind is list or kind is tuple:
            classes_among(value, found)
        elif kind is not Tensor and isinstance(value, Tensor) and kind not in found and takes_part(kind):
            place = next((i for i, other in enumerate(found) if issubclass(kind, other)), len(found))
            found.insert(place, kind)
    return found


def takes_part(kind):
    return kind.__torch_function__.__func__ is not _disabled_torch_function_impl.__func__


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """Hand a call to the ``__torch_function__`` of the arguments' classes, one after the other.

    Raises:
        TypeError: none of them wants it.
    """
    return dispatch(public_api, classes_among(relevant_args), args, kwargs)


def dispatch(function, types, args, kwargs):
    for kind in types:
        result = kind.__torch_function__(function, tuple(types), args, kwargs)
        if result is not NotImplemented:
            return result
    handlers = "".join([f"\n\n  - tensor subclass {kind}" for kind in types])
    raise TypeError(f"Multiple dispatch failed for '{qualified(function)}'; all __torch_function__ handlers "
                    f"returned NotImplemented:{handlers}\n\nFor more information, try re-running with "
                    "TORCH_LOGS=not_implemented")


def qualified(function):
    where = "torch._C.TensorBase" if vars(Tensor).get(function.__name__) is function else "torch"
    return f"{where}.{function.__name__}"


def is_tensor_like(inp):
    """Whether it is a tensor, or has a ``__torch_function__`` as if it were."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


def get_default_nowrap_functions():
    """What gives plain tensors even of a class of one's own: ``x.grad`` and ``x._base``."""
    return _unwrapped


_unwrapped = set()


# --- installing ---------------------------------------------------------------------------------------------

# Operators that PyTorch knows as the function they stand for; the others go by their own names.
STAND_FOR = {name: name for name in ("add", "sub", "mul", "matmul", "lt", "gt", "le", "ge", "ne", "pow",
                                     "neg", "abs")}
STAND_FOR |= {"radd": "add", "rmul": "mul", "truediv": "div", "rtruediv": "__rdiv__", "mod": "remainder",
              "pos": "positive", "iadd": "add_", "isub": "sub_", "imul": "mul_", "itruediv": "div_"}
# Those of which Python asks the other operand if they do not know what to do.
BINARY = {f"__{before}{name}__" for before in ("", "r", "i") for name in (
    "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or",
    "xor")}
KEPT = {"__new__", "__init__", "__init_subclass__", "__hash__", "__dir__", "__torch_function__",
        "__getattribute__", "__setattr__", "__delattr__", "__class_getitem__", "as_subclass"}
WITHOUT_DISPATCH = {"is_tensor", "tensor", "as_tensor", "asarray", "typename", "is_storage"}


def install():
    """Have all functions and methods look for classes of one's own."""
    if hasattr(Tensor, "__torch_function__"):
        return
    from . import autograd, methods, nn
    functional = nn.functional
    Tensor.__torch_function__ = torch_function
    nn.Parameter.__torch_function__ = nn.Buffer.__torch_function__ = _disabled_torch_function_impl
    for name, value in list(vars(Tensor).items()):
        is_special = name.startswith("__")
        if name in KEPT or name.startswith("_") and not is_special and name != "_base":
            continue
        if isinstance(value, property):
            setattr(Tensor, name, dispatching_property(value, name))
        elif callable(value) and not isinstance(value, type):
            setattr(Tensor, name, dispatching(value, name))
    package = sys.modules[PACKAGE]
    for place, names in ((vars(package), methods.FUNCTIONS), (vars(functional), vars(functional)),
                         (vars(autograd), ("grad", "backward"))):
        for name in list(names):
            if name not in WITHOUT_DISPATCH and callable(place[name]) and not isinstance(place[name], type):
                place[name] = dispatching(place[name], name)


def dispatching(function, name):
    """The same function, which first asks the classes of its arguments."""
    known_as = STAND_FOR.get(name.strip("_")) if name.startswith("__") else None

    def call(*args, **kwargs):
        types = () if _state.disabled else classes_among(args)
        if kwargs and not _state.disabled:
            types = classes_among(kwargs.values(), types)
        if not types:
            return function(*args, **kwargs)
        try:
            return dispatch(vars(Tensor).get(known_as, call), types, args, kwargs)
        except TypeError:
            if name in BINARY:
                return NotImplemented
            raise

    call.__name__ = call.__qualname__ = known_as or name
    call.__doc__, call.__module__, call.__wrapped__ = function.__doc__, function.__module__, function
    return call


def dispatching_property(old, name):
    """A property whose getter and setter are functions in this sense: ``__get__`` and ``__set__``."""
    new = type(old)(dispatching(old.fget, "__get__"), old.fset and dispatching(old.fset, "__set__"),
                    old.fdel and dispatching(old.fdel, "__delete__"), old.__doc__)
    if name in ("grad", "_base"):
        _unwrapped.add(new.fget)
    return new
