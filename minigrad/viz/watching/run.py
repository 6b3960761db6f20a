"""What `with watch(model, optimizer) as run` gives: one page that says what the steps did."""
from __future__ import annotations

import weakref
from collections import Counter, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from ..drawing import image
from ..drawing.drawing import Drawing, Output
from ..graph.facts import called, unheard
from ..graph.modules import is_model
from ..program.frames import variables
from ..program.names import _caller, _in_frames
from .call_notes import weigh
from .calls import Call, Model, register
from .history import Step
from .page import html_of, text_of
from .parts import Part, parts_of
from .pictures import graph_of, has_graph, modules_of
from .records import Line
from .snapshot import Snapshot, fill, is_due, snapshot
from .table import Row, rows_of
from .verdicts import Verdict, verdicts_of

MOST = 20_000  # calls that are remembered


class Run(Output):
    """The models and optimizers of a run by name, its calls, passes and steps. Nothing is kept alive.

    In a notebook it shows its page; `run.save("step.html")` writes it, `print(run)` says it in words, and
    `run["encoder.0"]` draws the autograd graph of a module.
    """

    kind = "run"

    def __init__(self, models: Any = None, optimizers: Any = None) -> None:
        self.passes: list[Line | None] = []
        self.calls: deque[Call] = deque(maxlen=MOST)
        self.steps: list[Step] = []
        self.roots: list[Model] = []
        self.optimizers: list[tuple[str, weakref.ref[Any]]] = []
        self.taken: dict[Line | None, Snapshot] = {}
        self._made: Counter[Line | None] = Counter()
        self._open: Snapshot | None = None
        for name, model in _named(models, is_model, "a model"):
            self.roots.append(register(model, name))
        for name, optimizer in _named(optimizers, is_optimizer, "an optimizer"):
            self.optimizers.append((name, weakref.ref(optimizer)))

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

    @unheard
    def pass_begins(self, roots: list[Any], nodes: list[Any], line: Line | None) -> None:
        self._open = None
        if self.roots:
            with suppress(Exception):  # watching never fails in the place of the program
                weigh(nodes, list(self.models.values()))
                self._made[line] += 1
                if is_due(self._made[line]):
                    self._open = snapshot(roots, nodes, self.models, line, self._made[line])

    def pass_ends(self, nodes: list[Any]) -> None:
        if self._open is not None:
            fill(self._open, nodes)
            self.taken[self._open.line] = self._open
            self._open = None

    def ends(self) -> None:
        """Read the table now, while the model is what the last step made of it."""
        with suppress(Exception):
            self.__dict__.pop("rows", None)
            _ = self.rows

    # --- what it says

    @property
    def models(self) -> dict[str, Any]:
        """The models that are still alive, by name."""
        return {root.name: model for root in self.roots if (model := root.module()) is not None}

    @cached_property
    def rows(self) -> list[Row]:
        """The parameters, the worst first."""
        return rows_of(self.models, list(self.calls))

    @property
    def parts(self) -> list[Part]:
        return parts_of(self.calls)

    @property
    def verdicts(self) -> list[Verdict]:
        return verdicts_of(self.rows, self.parts)

    def opening(self) -> str:
        """What was watched, in one sentence."""
        names = " and ".join(root.name for root in self.roots)
        steps = Counter(f"{step.name} ({step.optimizer})" if step.name else step.optimizer for step in self.steps)
        counts = [_count(len(self.passes), "backward pass", "backward passes"),
                  *(f"{_count(count, 'step', 'steps')} of {name}" for name, count in steps.items())]
        counts += ["no step of an optimizer"] * (not steps)
        counts += [_count(len(self.calls), "call", "calls") + " of modules"] * bool(self.roots)
        return f"{f'A run of {names}' if names else 'A run'}: {', '.join(counts)}."

    def nothing_found(self) -> str:
        """What was measured, where nothing wrong was found."""
        if not self.roots:
            return "Nothing was measured of parameters: give watch() a model, as in `watch(model, optimizer)`."
        given = sum(row.grad is not None for row in self.rows)
        moved = sum(bool(row.moved) for row in self.rows)
        return (f"Nothing wrong was found. Measured were {_count(len(self.rows), 'parameter', 'parameters')}: "
                f"{given} with a gradient (none of them NaN, infinite, zero or doubled), {moved} moved by a step.")

    def modules(self) -> Drawing:
        """The picture of the modules, one box each; of several passes the one that went through most."""
        return modules_of(self.pictured[0], self.calls)

    @property
    def pictured(self) -> list[Snapshot]:
        """The last pass of each line of the program, those that went through most calls of modules first."""
        return sorted(reversed(list(self.taken.values())), key=lambda one: -len({id(call) for call in one.calls}))

    def __getitem__(self, path: str) -> Drawing:
        """The autograd graph of a module, as it was when the last backward pass through it began.

        Raises:
            KeyError: no pass of this run went through a module of this name.
        """
        for taken in reversed(list(self.taken.values())):
            for name in (path, *(f"{root.name}.{path}" if path else root.name for root in self.roots)):
                if has_graph(taken, name):
                    return graph_of(taken, name)
        raise KeyError(f"no backward pass of this run went through a module {path!r}")

    def has_graph(self, path: str) -> bool:
        return any(has_graph(taken, path) for taken in self.taken.values())

    @property
    def text(self) -> str:  # type: ignore[override]
        return text_of(self)

    @property
    def html(self) -> str:  # type: ignore[override]
        return html_of(self)

    def forms(self) -> dict[str, Callable[[], str | bytes]]:
        return {".html": lambda: image.document(self.html, self.title()), ".txt": lambda: self.text + "\n"}

    def title(self) -> str:
        return " and ".join(root.name for root in self.roots) or "A run"


def _count(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"


def is_optimizer(value: Any) -> bool:
    try:
        groups = object.__getattribute__(value, "__dict__").get("param_groups")
    except Exception:  # it has no variables, or refuses to be asked
        return False
    return type(groups) is list and callable(getattr(type(value), "step", None))


def _named(given: Any, fits: Any, what: str) -> list[tuple[str, Any]]:
    """(name, object) of what `watch` was given: one, a list, or a dict with names."""
    if given is None:
        return []
    pairs = list(given.items()) if isinstance(given, Mapping) else [
        ("", one) for one in (given if isinstance(given, (list, tuple)) else [given])]
    for _, value in pairs:
        if not fits(value):
            raise TypeError(f"watch() takes {what}, a list or a dict of them, not {called(value)}")
    found: list[tuple[str, Any]] = []
    for name, value in pairs:
        name = str(name) or name_in_program(value) or type(value).__name__
        while any(name == other for other, _ in found):
            name += "'"
        found.append((name, value))
    return found


def name_in_program(value: Any) -> str:
    """The variable that holds a model or an optimizer."""
    frame = _caller()
    scopes = [variables(frame), frame.f_globals]
    held = [(name, one) for scope in scopes for name, one in list(scope.items()) if not name.startswith("_")]
    return next((name for name, one in (*held, *_in_frames([frame])) if one is value), "")
