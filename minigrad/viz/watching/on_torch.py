"""Watching PyTorch: a TorchFunctionMode sees operations and passes, hooks see modules and steps."""
from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from typing import Any

from ..graph.facts import version_of
from ..graph.node_records import Line, note, place_of
from ..graph.walk import is_accumulate
from . import call_notes, history, optimizer_records
from .calls import innermost, note_dropping
from .cut_notes import note_result
from .detached import note_used
from .first_order import note_use
from .here import Replaced, here, measured, order
from .large import not_finite
from .not_finite import INSIDE, note_made, note_plain
from .on_minigrad import replace, watched_copy
from .passes import pass_anywhere, watched_pass
from .scaling import UNSCALES, note_unscaling
from .unrecorded import follow
from .used_up_calls import note_decorated
from .watched_losses import LOSSES, note_given
from .watched_sequences import note_keys
from .write_records import frame_here, line_here, note_hook, note_write

_replaced = Replaced()
VIEWS = {"T", "mT", "H", "mH", "real", "imag"}  # attributes that are operations


@contextmanager
def watch_torch() -> Iterator[None]:
    torch: Any = sys.modules.get("torch")
    if not hasattr(torch, "overrides"):
        yield
        return
    passes = {torch.Tensor.backward, torch.autograd.backward, torch.autograd.grad}

    @lru_cache(maxsize=1000)
    def kind_of(function: Any) -> str:
        return "pass" if function in passes else _kind_of(function)

    class Watching(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, function: Any, types: Any, args: Any = (),
                               kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            if torch.compiler.is_compiling() or (kind := kind_of(function)) == "read":
                return function(*args, **kwargs)
            if kind == "operation":
                return _watched_call(torch, function, args, kwargs)
            if kind == "pass":
                return watched_pass(function, args, kwargs)
            if kind == "switch":  # an __exit__ sets what was before
                callers = [sys._getframe(at).f_code.co_name for at in (1, 2)]
                if not args[0] and (outer := sys._getframe(2).f_back) is not None:
                    note_decorated(outer)
                if args[0] or torch.is_grad_enabled():
                    off = not args[0] and "__exit__" not in callers
                    here.switched = line_here() if off else None
                return function(*args)
            if kind == "grad":
                history.look_before(args[0])
                function(*args, **kwargs)
                return history.look_at(args[0])
            result = function(*args, **kwargs)
            if kind == "data":
                note_result(args, result, ".data")
            else:
                note_hook(*args[:2], **kwargs)
            return result

    def see_passes_of_others() -> list[Callable[[], None]]:  # no mode belongs to their threads
        kinds = (torch.nn.Parameter, torch.autograd.Variable)  # no mode sees that these are made
        return [*(replace(torch.autograd, name, pass_anywhere) for name in ("backward", "grad")),
                *(replace(kind, "__new__", watched_copy) for kind in kinds)]

    with _replaced.by(see_passes_of_others), _warnings_of_the_program(), Watching(), (
            ExitStack()) as hooks:
        for handle in (*_module_hooks(torch), *_step_hooks()):
            hooks.callback(handle.remove)
        yield


@contextmanager
def _warnings_of_the_program() -> Iterator[None]:
    """Have warnings of an operation name the line of the program, and not of this module."""
    shown = warnings.showwarning

    def show(message: Any, category: type[Warning], filename: str, *rest: Any) -> None:
        frame = frame_here() if filename == show.__code__.co_filename else None
        if frame is None:
            shown(message, category, filename, *rest)
            return
        globals().get("__warningregistry__", {}).clear()  # the next line may warn of the same
        names = frame.f_globals
        warnings.warn_explicit(
            message, category, frame.f_code.co_filename, frame.f_lineno, names.get("__name__"),
            names.setdefault("__warningregistry__", {}))

    warnings.showwarning = show  # type: ignore[assignment]
    try:
        yield
    finally:
        if warnings.showwarning is show:
            warnings.showwarning = shown


def _module_hooks(torch: Any) -> list[Any]:
    """What notes the calls of modules; a program that is being compiled is left alone."""
    modules = sys.modules["torch.nn.modules.module"]

    def enter(module: Any, given: Any) -> None:
        if here.watches and not torch.compiler.is_compiling():
            call_notes.enter(module, given)

    def leave(module: Any, given: Any, *rest: Any) -> None:
        *keywords, result = rest  # after an error PyTorch leaves out the keywords
        if here.watches and not torch.compiler.is_compiling():
            call_notes.leave(module, keywords, result)
            note_keys(module, given, keywords[0] if keywords else {})

    return [modules.register_module_forward_pre_hook(enter),
            modules.register_module_forward_hook(leave, with_kwargs=True, always_call=True)]


def _step_hooks() -> list[Any]:
    optimizers = sys.modules.get("torch.optim.optimizer")
    if optimizers is None:
        return []

    def before(optimizer: Any, *given: Any) -> None:
        if here.watches:
            optimizer_records.step_begins(optimizer)

    def after(optimizer: Any, *given: Any) -> None:
        if here.watches:
            optimizer_records.step_ends(optimizer)

    return [optimizers.register_optimizer_step_pre_hook(before),
            optimizers.register_optimizer_step_post_hook(after)]


def _kind_of(function: Any) -> str:
    """What a function of PyTorch does; a pass is known by its identity."""
    name = getattr(function, "__name__", "")
    if name.startswith("_record_function"):  # optimizers tell a profiler when they begin and end
        return "read"
    if name == "__get__" and (read := function.__self__.__name__) not in VIEWS:
        return "data" if read == "data" else "read"
    if name in ("__set__", "__delete__") and function.__self__.__name__ == "grad":
        return "grad"
    return {"_set_grad_enabled": "switch", "register_hook": "hook",
            "register_post_accumulate_grad_hook": "hook"}.get(name, "operation")


def _watched_call(torch: Any, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    kind = torch.Tensor
    name = getattr(function, "__name__", "")
    given, versions, older = _before(kind, args, kwargs)
    if name.startswith("dropout"):
        note_dropping(kwargs)
    if name in UNSCALES:
        note_unscaling(name, args)
    finite = name in INSIDE and not given[0].requires_grad and not not_finite(given[0])
    result = function(*args, **kwargs)
    _after(kind, given, versions, older, result, name, torch.is_grad_enabled(), args, finite)
    if name in LOSSES:
        note_given(name, args, kwargs, result)
    return result


@measured
def _before(kind: type, args: Any, kwargs: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """The tensors that a function is given, their versions, and the nodes that made them."""
    given = list(_tensors(kind, (*args, *kwargs.values())))
    older = []
    for tensor in given:
        try:
            older.append(tensor.grad_fn)
            if tensor._is_view():
                older.append(tensor._base.grad_fn)
        except Exception:  # a view that can't be read any more
            pass
    return given, [version_of(tensor) for tensor in given], older


@measured
def _after(kind: type, given: list[Any], versions: list[Any], older: list[Any],
           result: Any, name: str, recording: bool, arguments: Any, finite: bool) -> None:
    note_result(given, result, name, recording)
    written = [one for one, version in zip(given, versions) if version_of(one) != version]
    with suppress(Exception):  # watching never fails in the place of the program
        results = [*written, *_tensors(kind, (result,))]
        follow(given, results)
        note_use(given, results, name)
        made = [one for one in results if one.grad_fn is not None]
        if not made and not here.steps and not here.in_pass:
            note_plain(results, written, given, name, arguments, finite)
        if not written and not made:
            return
        line = line_here()
        if made and sorted(len(one.shape) for one in given) == [1, 2]:
            note(made[-1].grad_fn, crossed=next((tuple(one.shape) for one in given
                                                 if not one.requires_grad), None))
        for tensor in written:  # before its own node, which saves what has been written
            note_write(tensor, line)
        if made:
            note_used(given, made[-1].grad_fn)
            _note_nodes([one.grad_fn for one in made], older, line)
            note_made([one for one in made if all(one.grad_fn is not node for node in older)],
                      given, name, arguments)


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
                note(node, place=line, call=innermost(), order=next(order))
                stack += [child for child, _ in node.next_functions]
