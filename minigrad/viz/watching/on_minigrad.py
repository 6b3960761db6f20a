"""Watching minigrad: an observer sees each recorded node, and some functions are replaced."""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from ..graph.node_records import note
from ..program.lines import listed
from ..program.where_it_runs import PACKAGE, package_of
from . import call_notes, history, optimizer_records
from .calls import innermost
from .cut_notes import COPYING, note_leaf, note_result
from .here import Replaced, here, measured, order
from .large import forget
from .passes import pass_anywhere
from .used_up_calls import NAMES, watched_limit
from .write_records import line_here, note_hook

Wrapper = Callable[[Callable[..., Any], Any, Any], Any]

_replaced = Replaced()


@contextmanager
def watch_minigrad() -> Iterator[None]:
    autograd = sys.modules.get(f"{PACKAGE}.autograd")
    if autograd is None:
        yield
        return
    with _replaced.by(lambda: _change(autograd)):
        yield


def _change(autograd: Any) -> list[Callable[[], None]]:
    observers = autograd.graph.recording_observers
    observers.append(_note_recording)
    return [*(replace(*place) for place in _places(autograd)), _watch_attributes(),
            lambda: observers.remove(_note_recording)]


def _places(autograd: Any) -> Iterator[tuple[Any, str, Wrapper]]:
    """(owner, name, what is called instead) of each function that is replaced."""
    tensor = sys.modules[PACKAGE].Tensor
    yield from ((owner, name, pass_anywhere) for owner, name in
                ((tensor, "backward"), (autograd, "backward"), (autograd, "grad")))
    library = sys.modules[PACKAGE]  # which loads its parts when they are first asked for
    losing = ("detach", "numpy", "item", "tolist", "__float__")
    yield from ((tensor, name, _watched_loss) for name in losing)
    yield from ((library, name, watched_copy) for name in COPYING)
    yield library.nn.Parameter, "__new__", watched_copy
    yield from ((tensor, name, _watched_hook) for name in (
        "register_hook", "register_post_accumulate_grad_hook"))
    mode = library.set_grad_enabled
    yield from ((kind, name, _watched_switch) for kind, name in
                ((mode, "__init__"), (mode.__mro__[1], "__exit__")))
    yield from ((library.nn.utils, name, watched_limit) for name in NAMES)
    yield library.nn.Module, "__call__", _watched_module
    yield library.nn.Module, "zero_grad", _watched_zeroing
    yield library.optim.Optimizer, "zero_grad", _watched_zeroing
    kinds = [library.optim.Optimizer]
    for kind in kinds:
        kinds += [one for one in kind.__subclasses__() if one not in kinds]
        if "step" in vars(kind):
            yield kind, "step", _watched_step


def replace(owner: Any, name: str, otherwise: Wrapper) -> Callable[[], None]:
    """Have `otherwise` called for a function, in threads that watch; returns what undoes that."""
    original = getattr(owner, name)

    @wraps(original)
    def watched(*args: Any, **kwargs: Any) -> Any:
        noted = here.watches or otherwise is pass_anywhere
        return otherwise(original, args, kwargs) if noted else original(*args, **kwargs)

    before = vars(owner).get(name)  # which may be a staticmethod
    setattr(owner, name, watched)
    return lambda: delattr(owner, name) if before is None else setattr(owner, name, before)


def _watch_attributes() -> Callable[[], None]:
    """Look at a leaf whose `.grad` is assigned, and note a value that is read through `.data`."""
    kind = sys.modules[PACKAGE].Tensor
    grad, data = vars(kind)["grad"], vars(kind)["data"]

    def assign(tensor: Any, value: Any) -> None:
        if here.watches:
            history.look_before(tensor)
        grad.fset(tensor, value)
        if here.watches:
            history.look_at(tensor)

    def read(tensor: Any) -> Any:
        result = data.fget(tensor)
        if here.watches and package_of(sys._getframe(1)) != PACKAGE:
            forget(tensor)
            note_result([tensor], result, ".data")
        return result

    def undo() -> None:
        kind.grad, kind.data = grad, data

    kind.grad = property(grad.fget, assign, grad.fdel, grad.__doc__)
    kind.data = property(read, data.fset, data.fdel, data.__doc__)
    return undo


def _watched_module(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    module, *given = args
    call_notes.enter(module, given)
    result = None
    try:
        result = function(*args, **kwargs)
    except Exception:
        call_notes.leave(module, kwargs, None)
        raise
    call_notes.leave(module, kwargs, result)
    return result


def _watched_zeroing(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    for leaf in history.held_leaves(args[0]):
        history.look_before(leaf)
    result = function(*args, **kwargs)
    for leaf in history.held_leaves(args[0]):
        history.look_at(leaf)
    return result


def _watched_loss(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    result = function(*args, **kwargs)
    if not here.measuring:  # the watch itself looks at numbers
        note_result(args[:1], result, function.__name__)
    return result


def watched_copy(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """A tensor is made of the numbers of others; `args` may begin with its class."""
    result = function(*args, **kwargs)
    if not here.measuring:
        name = next((one.__name__ for one in args[:1] if isinstance(one, type)), function.__name__)
        note_leaf([one for value in (*args, *kwargs.values()) if not isinstance(value, type)
                   for one in listed(value)], result, name)
    return result


def _watched_hook(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    result = function(*args, **kwargs)
    note_hook(*args[:2], **kwargs)
    return result


def _watched_switch(function: Callable[..., Any], args: Any, kwargs: Any) -> None:
    recording = sys.modules[PACKAGE].is_grad_enabled
    before = recording()
    function(*args, **kwargs)
    if before or recording():
        off = not recording() and function.__name__ == "__init__"
        here.switched = line_here() if off else None


def _watched_step(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    optimizer_records.step_begins(args[0])
    try:
        return function(*args, **kwargs)
    finally:
        optimizer_records.step_ends(args[0])


@measured
def _note_recording(node: Any) -> None:
    if here.watches and node.next_functions:  # a leaf's node has no edges, and no line
        note(node, place=line_here(), call=innermost(), order=next(order))
