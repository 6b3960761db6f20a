"""Models and optimizers: those that `watch` was given, and those in the variables of a program."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from types import FrameType, ModuleType
from typing import Any
from weakref import WeakValueDictionary

from ..graph.facts import called
from .frame_variables import variables
from .names import inside
from .node_lines import LIBRARY
from .where_it_runs import _caller

_given: WeakValueDictionary[tuple[str, int], Any] = WeakValueDictionary()  # by name and id


def is_optimizer(value: Any) -> bool:
    try:
        groups = object.__getattribute__(value, "__dict__").get("param_groups")
    except Exception:  # it has no variables, or refuses to be asked
        return False
    return type(groups) is list and callable(getattr(type(value), "step", None))


def held_by(optimizer: Any) -> list[Any]:
    """The tensors that an optimizer holds."""
    return [one for group in optimizer.param_groups for one in group["params"]]


def is_schedule(value: Any) -> bool:
    """Whether something sets the learning rates of an optimizer, epoch by epoch."""
    try:
        own = object.__getattribute__(value, "__dict__")
    except Exception:  # as above
        return False
    return "last_epoch" in own and is_optimizer(own.get("optimizer"))


def optimizers_in(frames: Iterable[FrameType], known: Iterable[Any] = ()) -> list[tuple[str, Any]]:
    """(name, optimizer) of those in the variables of frames, and in what these hold.

    Then come others that a watch was given, if they hold one of the known tensors.
    """
    found, ids = _held_in(frames, is_optimizer), set(map(id, known))
    there = {id(one) for _, one in found}
    given = {id(one): (name, one) for (name, _), one in _given.items() if id(one) not in there}
    return found + [(name, one) for name, one in given.values()
                    if not ids.isdisjoint(map(id, held_by(one)))]


def schedules_in(frames: Iterable[FrameType]) -> list[tuple[str, Any]]:
    return _held_in(frames, is_schedule)


def _held_in(frames: Iterable[FrameType], fits: Callable[[Any], bool]) -> list[tuple[str, Any]]:
    found: dict[int, tuple[str, Any]] = {}
    for scope in (scope for frame in frames for scope in (variables(frame), frame.f_globals)):
        for name, value in list(scope.items()):
            for path, one in inside(value):
                if fits(one):
                    found.setdefault(id(one), (name + path, one))
    return list(found.values())


def named(given: Any, fits: Callable[[Any], bool], what: str) -> list[tuple[str, Any]]:
    """(name, object) of each; without a dict the name is that of the program's variable."""
    if given is None:
        return []
    several = given if isinstance(given, (list, tuple)) else [given]
    pairs = list(given.items()) if isinstance(given, Mapping) else [("", one) for one in several]
    found: dict[str, Any] = {}
    for name, value in pairs:
        if not fits(value):
            raise TypeError(f"watch() takes {what}, a list or a dict of them, not {called(value)}")
        if any(value is one for one in found.values()):
            continue
        name = str(name) or _name_in_program(value) or type(value).__name__
        while name in found:
            name += "'"
        found[name] = value
        if fits is is_optimizer:
            _given[name, id(value)] = value
    return list(found.items())


def _name_in_program(value: Any) -> str:
    """The nearest: a variable, a part of one, or a variable of a module of the program."""
    frame = _caller()
    held = [(name, one) for scope in (variables(frame), frame.f_globals)
            for name, one in list(scope.items()) if not name.startswith("_")]
    parts = ((name + path, one) for name, whole in held for path, one in inside(whole))
    others = ((f"{name}.{inner}", one) for name, module in held if isinstance(module, ModuleType)
              and not LIBRARY.search(getattr(module, "__file__", None) or "<frozen ")
              for inner, one in list(vars(module).items()))
    return next((name for name, one in chain(held, parts, others) if one is value), "")
