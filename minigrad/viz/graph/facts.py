"""What can be said about one tensor: its kind, its shape, its small values, its `.grad`.

Anything that behaves like a tensor will do, so this works for minigrad and for PyTorch. Looking
changes nothing: a `.grad` is only read where reading it is free of warnings (leaves, and tensors
that retain it).
"""
from __future__ import annotations

import math
import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from operator import index
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, ParamSpec, TypeVar

from .model import Tensor

SMALL = 6  # elements; larger tensors show their shape only
# By their ids, kinds that most variables hold, and that are neither tensors nor models: to ask a
# kind for an attribute that it doesn't have takes three times as long as to look here.
SIMPLE = frozenset(map(id, (type(None), bool, int, float, str, type, ModuleType, FunctionType,
                            BuiltinFunctionType)))
PLAIN = SIMPLE | {id(list), id(tuple), id(dict)}
HOOKS = ("_backward_hooks", "_post_accumulate_grad_hooks")
P = ParamSpec("P")
R = TypeVar("R")


def is_tensor(value: Any) -> bool:
    """Whether this is a tensor, by its type: an object's __getattr__ may say yes to everything."""
    kind = type(value)
    try:
        return id(kind) not in PLAIN and hasattr(kind, "grad_fn") and (
            hasattr(kind, "is_leaf") and hasattr(kind, "requires_grad"))
    except Exception:  # a type may answer with whatever error it likes
        return False


def can_be_read(tensor: Any, history: bool = True) -> bool:
    """Whether a tensor says what a picture asks; after some writes to its base, a view refuses."""
    try:
        for name in ("requires_grad", *["grad_fn", "is_leaf"] * history, "shape", "dtype"):
            getattr(tensor, name)
        return True
    except Exception:
        return False


def is_readable(tensor: Any) -> bool:
    """The same; a written view is not asked for its grad_fn, as that may get it a new one."""
    return can_be_read(tensor, history=not is_written_view(tensor))


def is_node(value: Any) -> bool:
    return hasattr(type(value), "next_functions") and callable(getattr(type(value), "name", None))


def unheard(look: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function that looks at tensors: it calls no `__torch_function__`."""
    @wraps(look)
    def quiet(*args: P.args, **kwargs: P.kwargs) -> R:
        engine = getattr(sys.modules.get("torch"), "_C", None)
        with getattr(engine, "DisableTorchFunction", nullcontext)():
            return look(*args, **kwargs)

    return quiet


def called(value: Any) -> str:
    """What an argument is, for a message that refuses it: "a str", "an int", "None"."""
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def limit_of(values: Any) -> int:
    """The most elements to write out, from the argument `values` of draw() and play()."""
    try:
        return SMALL if values is True else index(values)
    except TypeError:
        raise TypeError("values takes True, False or a number of elements, not "
                        + called(values)) from None


def describe(tensor: Any, values: int, versions: bool, grads: bool, **known: Any) -> Tensor:
    """The facts of one tensor, and what is `known`; at most `values` elements are written out."""
    kind = kind_of(tensor)
    return Tensor(
        kind=kind,
        shape=shape_if_any(tensor),
        values=values_of(tensor, values),
        grad=grad_of(tensor, kind, values) if grads else None,
        version=version_of(tensor) if versions else None,
        hooks=hooks_of(tensor),
        **known,
    )


def hooks_of(tensor: Any) -> int:
    return sum(len(getattr(tensor, name) or ()) for name in HOOKS if hasattr(type(tensor), name))


def version_of(tensor: Any) -> int | None:
    try:
        return tensor._version
    except (AttributeError, RuntimeError):  # tensors made in inference mode count no writes
        return None


def storage_of(tensor: Any) -> tuple[Any, int] | None:
    """(address, bytes) of the memory behind a tensor, which for a view is all of its base's."""
    try:
        storage = tensor.untyped_storage()
        place = storage.data_ptr()  # 0 where nothing is stored
        return (place, storage.nbytes()) if place and storage.nbytes() else None
    except Exception:  # sparse, meta, wrapped: it has no memory of the usual kind
        return None


def base_of(tensor: Any) -> Any:
    """The tensor that this one is a view of, or None."""
    try:
        return tensor._base if tensor._is_view() else None
    except Exception:
        return None


def is_written_view(tensor: Any) -> bool:
    """Whether `grad_fn` or `is_leaf` may give a view a new history."""
    return base_of(tensor) is not None and bool(version_of(tensor))


def whole_number(tensor: Any) -> bool:
    """Integers and booleans, which take no gradient."""
    dtype = tensor.dtype
    return not (dtype.is_floating_point or dtype.is_complex)


def kind_of(tensor: Any) -> str:
    if not tensor.requires_grad:
        return "constant"
    return "leaf" if tensor.is_leaf else "interior"


def shape_of(tensor: Any) -> tuple[int, ...]:
    return tuple(int(length) for length in tensor.shape)


def shape_if_any(tensor: Any) -> tuple[int, ...] | None:
    """None for a nested tensor, which has no single shape."""
    try:
        return shape_of(tensor)
    except (RuntimeError, TypeError):
        return None


def grad_of(tensor: Any, kind: str, values: int) -> str | None:
    """None when there is no drawer to look into; "None" when the drawer is empty."""
    if kind != "leaf" and not (kind == "interior" and getattr(tensor, "retains_grad", False)):
        return None
    grad = tensor.grad
    if grad is None:
        return "None"
    return values_of(grad, values) or f"shape {shape_if_any(grad)}"


def values_of(tensor: Any, limit: int) -> str:
    """The numbers of a small tensor, one row per line; "" when it is too large or can't be read."""
    shape = shape_if_any(tensor)
    if shape is None or math.prod(shape) > limit:
        return ""
    try:
        return written(tensor.tolist())
    except Exception:  # no storage (meta), sparse, wrapped: then the picture shows the shape only
        return ""


def written(value: Any) -> str:
    if not isinstance(value, list):
        return number(value)
    parts = [written(item) for item in value]
    between = ",\n " if value and isinstance(value[0], list) else ", "
    return "[" + between.join(parts) + "]"


def number(value: Any) -> str:
    """Four significant digits; a float keeps its point, so 2.0 never looks like the integer 2.

    A float that would look like a whole number and is none gets seven: 1.0001. Below that is
    rounding.
    """
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.4g}"
    if "." not in text and abs(value - float(text)) > 5e-7 * abs(value):
        text = f"{value:.7g}"
    return text if any(sign in text for sign in ".en") else text + ".0"
