"""`watch()`: write down the lines of a program while it computes, and what its backward passes carry.

On PyTorch a TorchFunctionMode sees every call of an operation and every pass. On minigrad an observer is
called with each recorded node, and the three functions that start a pass are replaced for the time of the
watch. Neither library is imported here: what the program has not imported is not watched.
"""
from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import wraps
from inspect import signature
from itertools import count
from typing import Any

from ..graph.facts import base_of, can_be_read, not_finite, numbers, version_of
from ..graph.read import in_forward_order, is_accumulate
from ..program.lines import listed
from ..program.names import PACKAGE
from .records import Line, line_here, note, note_write, place_of, record_of

VIEWS = {"T", "mT", "H", "mH", "real", "imag"}  # attributes that are operations


class watch:
    """Watch what a program does, so that pictures and explanations can name its lines.

    It works on minigrad and on PyTorch, if imported before, for the thread that enters it. It changes no
    result, error or version, and leaves no hook behind. What it wrote down lives as long as the nodes and
    tensors concerned; it keeps none of them alive. On PyTorch it doesn't see what runs inside a backward
    pass: hooks, checkpointed functions, a custom backward.

    The price: a training step of a small MLP takes 4 to 7 times as long, one that is busy with large matrices
    less than twice; and PyTorch's TransformerEncoderLayer, in evaluation without gradients, doesn't take its
    fast path, so that the last digits may differ.

    Example:
        with watch() as seen:
            loss = model(x).sum()
            loss.backward()
        draw(loss, show="gradients")

    Yields:
        This object; `seen.passes` lists the lines of the backward passes.
    """

    def __init__(self) -> None:
        self.passes: list[Line] = []

    def __enter__(self) -> watch:
        if not _here.watches:
            _here.stack = ExitStack()
            for attach in (_watch_torch, _watch_minigrad):
                _here.stack.enter_context(attach())
        _here.watches.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        _here.watches.remove(self)
        if not _here.watches:
            _here.stack.close()


class _Here(threading.local):
    """The watches of one thread, from the outside in."""

    def __init__(self) -> None:
        self.watches: list[watch] = []
        self.in_pass = False


_here = _Here()


# ---------------------------------------------------------------- PyTorch

@contextmanager
def _watch_torch() -> Iterator[None]:
    torch = sys.modules.get("torch")
    if not hasattr(torch, "overrides"):
        yield
        return
    passes = {torch.Tensor.backward, torch.autograd.backward, torch.autograd.grad}

    class Watching(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            read = getattr(function, "__name__", "") == "__get__" and function.__self__.__name__ not in VIEWS
            if read or torch.compiler.is_compiling():
                return function(*args, **kwargs)
            if function in passes:
                return _watched_pass(function, args, kwargs)
            return _watched_call(torch.Tensor, function, args, kwargs)

    with Watching():
        yield


def _watched_call(kind: type, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    given = list(_tensors(kind, (*args, *kwargs.values())))
    before = [version_of(tensor) for tensor in given]
    older = [one.grad_fn for tensor in given for one in (tensor, base_of(tensor))
             if one is not None and can_be_read(one)]
    result = function(*args, **kwargs)
    with suppress(Exception):  # watching never fails in the place of the program
        written = [one for one, version in zip(given, before) if version_of(one) != version]
        starts = [one.grad_fn for one in (*written, *_tensors(kind, (result,))) if one.grad_fn is not None]
        if written or starts:
            line = line_here()
            _note_nodes(starts, older, line)
            for tensor in written:
                note_write(tensor, line)
    return result


def _tensors(kind: type, values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, kind):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from (one for one in value if isinstance(one, kind))


def _note_nodes(starts: list[Any], older: list[Any], line: Line | None) -> None:
    """All nodes between these and those that were there before."""
    known, stack = {id(node): node for node in older}, list(starts)
    while stack:
        node = stack.pop()
        if node is not None and id(node) not in known and not is_accumulate(node):
            known[id(node)] = node  # an id is only valid while its object lives
            if place_of(node) is None:
                note(node, place=line)
                stack += [child for child, _ in node.next_functions]


# ---------------------------------------------------------------- minigrad

_lock = threading.Lock()
_threads: list[int] = []  # those that watch
_undo: list[Callable[[], None]] = []


@contextmanager
def _watch_minigrad() -> Iterator[None]:
    autograd = sys.modules.get(f"{PACKAGE}.autograd")
    if autograd is None:
        yield
        return
    with _lock:
        _threads.append(threading.get_ident())
        if len(_threads) == 1:
            tensor = sys.modules[PACKAGE].Tensor
            passes = ((tensor, "backward"), (autograd, "backward"), (autograd, "grad"))
            _undo[:] = [_replace(*place, _watched_pass) for place in passes]
            observers = autograd.graph.recording_observers
            observers.append(_note_recording)
            _undo.append(lambda: observers.remove(_note_recording))
    try:
        yield
    finally:
        with _lock:
            _threads.pop()
            for undo in [] if _threads else _undo:
                undo()


def _replace(owner: Any, name: str, otherwise: Callable[..., Any]) -> Callable[[], None]:
    """Have `otherwise` called for a function, in threads that watch; returns what puts the function back."""
    original = getattr(owner, name)

    @wraps(original)
    def watched(*args: Any, **kwargs: Any) -> Any:
        return otherwise(original, args, kwargs) if _here.watches else original(*args, **kwargs)

    setattr(owner, name, watched)
    return lambda: setattr(owner, name, original)


def _note_recording(node: Any) -> None:
    if _here.watches and node.next_functions:  # a leaf's node has no edges, and no line
        note(node, place=line_here())


# ---------------------------------------------------------------- a pass

_numbers = count(1)


def _watched_pass(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    if _here.in_pass:  # a pass inside a pass, such as a checkpoint's
        return function(*args, **kwargs)
    line, number, hooks = line_here(), next(_numbers), []
    for one in _here.watches:
        one.passes.append(line)
    try:
        _here.in_pass = True
        with suppress(Exception):  # a call that is wrong: the library says so
            asked = signature(function).bind(*args, **kwargs).arguments
            keeps = asked.get("retain_graph")
            keeps = asked.get("create_graph", False) if keeps is None else keeps
            roots = next(asked[name] for name in ("tensors", "outputs", "self") if name in asked)
            starts = [getattr(root, "node", None) or root.grad_fn for root in listed(roots)]
            for node in in_forward_order([start for start in starts if start is not None]):
                hooks += _hooks(node, number, line, None if keeps else line)
        return function(*args, **kwargs)
    finally:
        _here.in_pass = False
        for hook in hooks:
            hook.remove()


def _hooks(node: Any, number: int, line: Line | None, freed: Line | None) -> list[Any]:
    """What writes down what arrives at a node and, once it ran, what it sent and what frees its values."""
    def arrives(grads: Any) -> None:
        note(node, passed=[numbers(grad) for grad in grads])
        there = numbers(node.variable.grad) if is_accumulate(node) else None
        if there and there.norm:
            note(node, added=line)

    def has_run(sent: Any, grads: Any) -> None:
        alarms = [not_finite(one) for one in sent]
        note(node, freed=record_of(node).get("freed") or freed,
             sent=next((alarm for alarm in ("nan", "infinite") if alarm in alarms), ""))

    note(node, passed=[], sent="", of_pass=number, added=None)
    return [node.register_prehook(arrives), node.register_hook(has_run)]
