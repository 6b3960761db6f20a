"""What a `watch(model, optimizer)` has seen: the run, which names models and optimizers and keeps the calls."""
from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Mapping
from typing import Any

from ..graph.facts import called
from ..graph.modules import is_model
from ..program.frames import variables
from ..program.names import _caller, _in_frames
from .call_notes import weigh
from .calls import Call, Model, register
from .history import Step
from .records import Line

MOST = 20_000  # calls that are remembered


def is_optimizer(value: Any) -> bool:
    try:
        groups = object.__getattribute__(value, "__dict__").get("param_groups")
    except Exception:  # it has no variables, or refuses to be asked
        return False
    return type(groups) is list and callable(getattr(type(value), "step", None))


class Run:
    """The models and optimizers of a run by name, its calls and its steps. Nothing is kept alive."""

    def __init__(self, models: Any = None, optimizers: Any = None) -> None:
        self.passes: list[Line | None] = []
        self.calls: deque[Call] = deque(maxlen=MOST)
        self.steps: list[Step] = []
        self.roots: list[Model] = []
        self.optimizers: list[tuple[str, weakref.ref[Any]]] = []
        for name, model in _named(models, is_model, "a model"):
            self.roots.append(register(model, name))
        for name, optimizer in _named(optimizers, is_optimizer, "an optimizer"):
            self.optimizers.append((name, weakref.ref(optimizer)))

    @property
    def models(self) -> dict[str, Any]:
        """The models that are still alive, by name."""
        return {root.name: model for root in self.roots if (model := root.module()) is not None}

    # --- what the watch tells it

    def follows(self, root: Model) -> bool:
        return any(root is one for one in self.roots)

    def adopted(self, module: Any) -> tuple[Model, str] | None:
        """The model and the place of a module that nobody named; None where it isn't watched."""
        return None

    def called(self, call: Call) -> None:
        if self.follows(call.root):
            self.calls.append(call)

    def name_of(self, optimizer: Any) -> str:
        return next((name for name, one in self.optimizers if one() is optimizer), "")

    def stepped(self, optimizer: Any, step: Step) -> None:
        self.steps.append(step)

    def pass_begins(self, nodes: list[Any]) -> None:
        if self.roots:
            weigh(nodes, list(self.models.values()))

    def pass_ends(self, nodes: list[Any]) -> None:
        pass

    def ends(self) -> None:
        pass


def _named(given: Any, fits: Any, what: str) -> list[tuple[str, Any]]:
    """(name, object) of what `watch` was given: one, a list, or a dict with names."""
    if given is None:
        return []
    pairs = list(given.items()) if isinstance(given, Mapping) else [
        ("", one) for one in (given if isinstance(given, (list, tuple)) else [given])]
    for _, value in pairs:
        if not fits(value):
            raise TypeError(f"watch() takes {what}, a list or a dict of them, not {called(value)}")
    found = []
    for name, value in pairs:
        name = str(name) or _name_in_program(value) or type(value).__name__
        while any(name == other for other, _ in found):
            name += "'"
        found.append((name, value))
    return found


def _name_in_program(value: Any) -> str:
    """The variable that holds a model or an optimizer."""
    frame = _caller()
    scopes = [variables(frame), frame.f_globals]
    held = [(name, one) for scope in scopes for name, one in list(scope.items()) if not name.startswith("_")]
    return next((name for name, one in (*held, *_in_frames([frame])) if one is value), "")
