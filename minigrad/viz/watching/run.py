"""What `with watch(model, optimizer) as run` gives: one page that says what the steps did."""
from __future__ import annotations

import sys
import weakref
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from threading import get_ident
from time import perf_counter
from types import FrameType
from typing import Any, ClassVar

from ..drawing.drawing import Drawing, Output
from ..drawing.text_twin import visible
from ..graph.facts import unheard
from ..graph.modules import inner_modules, is_model, joined, members
from ..graph.node_records import Line
from ..program.given import held_by, is_optimizer, named
from ..program.names import _in_frames, _models
from ..program.program_text import Entered, after_block
from ..program.where_it_runs import _caller
from .calls import Call, Model, register
from .class_weights import facts_of
from .cut_calls import cut_calls
from .events import Step, count_step
from .first_order import first_order, lines_among
from .forward_notes import weigh
from .here import WhileAlive, began, here, looked_at, order
from .history import last_step
from .measured import counted, what_was_measured
from .modes import note_untouched
from .over_steps import OverSteps
from .padding_rows import rows_of
from .parts import Part, parts_of
from .pass_pictures import Snapshot, fill, graph_of, modules_of, names_of, snapshot
from .run_page import html_of, text_of
from .steppers import note_schedules, number_of
from .unrecorded import repeated_calls
from .write_records import program_frames

MOST = 20_000  # calls that are remembered
READ = 3  # passes of one line whose graphs are all read: that takes time, and later ones are alike


class Run(Output):
    """The models and optimizers of a run, its calls, passes and steps. Nothing is kept alive.

    In a notebook it shows its page; `run.save("step.html")` writes it, `print(run)` says it in
    words, and `run["encoder.0"]` draws the autograd graph of a module.
    """

    kind = "run"
    # The table and the verdicts; the row for `explain`. The package sets what a higher room has.
    find_faults: ClassVar[Callable[..., tuple[list[Any], list[Any]]]]
    cause_of: ClassVar[Callable[..., Any]]

    def __init__(self, models: Any = None, optimizers: Any = None) -> None:
        self.since = next(order)
        began.append(self.since)
        self.passes: list[Line | None] = []
        self.calls: deque[Call] = deque(maxlen=MOST)
        self.called_in_all, self.began = 0, 0.0  # when the first call came
        self.steps: deque[Step] = deque(maxlen=MOST)
        self.taken_by: Counter[str] = Counter()  # how many steps, by optimizer
        self.over_steps = OverSteps()
        self.roots: list[Model] = []
        self.optimizers: list[tuple[str, weakref.ref[Any]]] = []
        self.taken: dict[Line | None, Snapshot] = {}  # the last pass of each line
        self.rows: list[Any] = []  # of the table, the worst first: faults.parameters.Row
        self.verdicts: list[Any] = []  # faults.verdicts.Verdict
        self._meant: list[str] = []  # what may be meant
        self.error = ""  # the class of the error that ended the watch, and its line
        self.failed: list[str] = []  # the same of each pass that raised one, with its message
        self._names: WhileAlive[str] = WhileAlive()  # of parameters; "" for one of no model
        self._made: Counter[Line | None] = Counter()
        self.first_order: Counter[tuple[Line, Line | None]] = Counter()  # grad()'s, and the pass's
        self._open: dict[int, Snapshot] = {}  # by thread
        self._steppers: set[int] = set()  # the numbers of the optimizers that took a step
        for name, model in named(models, is_model, "a model"):
            self.roots.append(register(model, name))
        for name, optimizer in named(optimizers, is_optimizer, "an optimizer"):
            self.optimizers.append((name, weakref.ref(optimizer)))

    @property
    def models(self) -> dict[str, Any]:
        """The models that are still alive, by name."""
        pairs = [(root.name, root.module()) for root in self.roots]
        return {name: model for name, model in pairs if model is not None}

    # --- what the watch tells it

    def follows(self, root: Model) -> bool:
        return any(root is one for one in self.roots)

    def adopted(self, module: Any) -> tuple[Model, str] | None:
        """The model and the place of a module that nobody named; None where it isn't watched."""
        return None

    def called(self, call: Call) -> None:
        if self.follows(call.root):
            self.began = self.began or perf_counter()
            self.calls.append(call)
            self.called_in_all += 1

    def name_of(self, optimizer: Any) -> str:
        return next((name for name, one in self.optimizers if one() is optimizer), "")

    def stepped(self, optimizer: Any, step: Step) -> None:
        self.steps.append(step)
        self.taken_by[f"{step.name} ({step.optimizer})" if step.name else step.optimizer] += 1
        with suppress(Exception):  # watching never fails in the place of the program
            if len(self.steps) == 1:  # a copy is made before, and averaged after it
                note_untouched(_models(_in_frames(program_frames())), held_by(optimizer))
            # not in the first step: a watch of one step has no use for schedules
            if (by := number_of(optimizer)) not in self._steppers or len(self.steps) == 2:
                self._steppers.add(by)
                if len(self.steps) > 1 and looked_at(("schedules", step.line), here.seen):
                    note_schedules(program_frames())
            found = [(leaf, event) for leaf in held_by(optimizer) if (event := last_step(leaf))]
            for leaf, event in found:
                count_step(leaf, event, self.since)
            self.over_steps.add([(name, event) for leaf, event in found
                                 if (name := self._name_of(leaf))], self.calls, self.steps)

    def _name_of(self, leaf: Any) -> str:
        if self._names.get(leaf) is None:
            self._names.set(leaf, "")
            for path, model in self.models.items():
                for inner, one in members(model):
                    self._names.set(one, joined(path, inner))
        return self._names.get(leaf) or ""

    @unheard
    def pass_begins(self, roots: list[Any], nodes: list[Any], line: Line | None) -> None:
        self._open.pop(get_ident(), None)
        self.first_order.update((one, line) for one in lines_among(nodes) if one != line)
        if self.roots:
            with suppress(Exception):  # watching never fails in the place of the program
                weigh(nodes, list(self.models.values()))
                if looked_at(line, self._made, READ):
                    self._open[get_ident()] = snapshot(roots, nodes, self.models, line)

    def pass_ends(self, nodes: list[Any]) -> None:
        if (taken := self._open.pop(get_ident(), None)) is not None:
            fill(taken, nodes)
            self.taken.pop(taken.line, None)
            self.taken[taken.line] = taken

    def closes(self) -> None:
        """The watch ends: find what is wrong while the variables around it are there."""
        frame = _caller()
        self.judge(frame if sys.exc_info()[1] else after_block(frame))

    @unheard
    def judge(self, frame: FrameType | Entered) -> None:
        """Find now what is wrong, while the parameters are what the last step made of them."""
        if not (models := self.models):
            return
        before, here.since = here.since, self.since
        try:
            names = names_of(models, frame)
            self.rows, self.verdicts = self.find_faults(models, names)
            layers = [part for one in models.values() for part in inner_modules(one).values()]
            leaves = [leaf for one in models.values() for _, leaf in members(one)]
            self._meant = repeated_calls(layers) + facts_of(leaves) + rows_of(leaves, self._name_of)
            if self.error and not self.steps:  # passes that would use them may be missing
                self.rows = [row._replace(cause="no pass") if row.cause == "not used" else row
                             for row in self.rows]
                self.verdicts = [one for one in self.verdicts if one.cause != "not used"]
        except Exception:  # watching never fails in the place of the program
            pass
        finally:
            here.since = before

    # --- what it says

    @property
    def parts(self) -> list[Part]:
        return parts_of(self.calls)

    @property
    def title(self) -> str:  # type: ignore[override]
        names = " and ".join(root.name for root in self.roots)
        return visible(f"A run of {names}" if names else "A run")

    def opening(self) -> str:
        """What was watched, in one sentence."""
        steps = [f"{counted(count, 'step', 'steps')} of {name}"
                 for name, count in self.taken_by.items()] or ["no step of an optimizer"]
        counts = [counted(len(self.passes), "backward pass", "backward passes"), *steps]
        counts += [counted(self.called_in_all, "call", "calls") + " of modules"] * bool(self.roots)
        ended = f" It ended with {self.error}." if self.error else ""
        if count := len(self.failed):
            ended = (f" {counted(count, 'pass', 'passes')} ended with an error"
                     f"{', the first' * (count > 1)}: {self.failed[0]}.{ended}")
        return " ".join([f"{self.title}: {', '.join(counts)}.{ended}", *self.facts])

    @property
    def facts(self) -> list[str]:
        """What may be meant or not, in sentences."""
        return [*cut_calls(self.calls), *first_order(self.first_order), *self._meant]

    def nothing_found(self) -> str:
        """What was measured, where nothing wrong was found."""
        return what_was_measured(self)

    def modules(self) -> Drawing:
        """The picture of the modules; of several passes that of the one that went through most.

        Raises:
            KeyError: no backward pass went through a watched model.
        """
        if not self.taken:
            raise KeyError("no backward pass of this run went through a watched model")
        return modules_of(self.pictured[0], self.calls)

    @property
    def pictured(self) -> list[Snapshot]:
        """The last pass of each line of the program, those that went through most calls first."""
        latest = list(self.taken.values())[::-1]
        return sorted(latest, key=lambda one: -len({id(call) for call in one.calls}))

    def __getitem__(self, path: str) -> Drawing:
        """The autograd graph of a module, as it was when the last backward pass through it began.

        Raises:
            KeyError: no pass of this run went through a module of this name.
        """
        full = [path, *(f"{root.name}.{path}" if path else root.name for root in self.roots)]
        for taken in reversed(list(self.taken.values())):
            for name in full:
                if name in taken.paths:
                    return graph_of(taken, name)
        raise KeyError(f"no backward pass of this run went through a module {path!r}")

    @property
    def text(self) -> str:  # type: ignore[override]
        return text_of(self)

    @property
    def html(self) -> str:  # type: ignore[override]
        return html_of(self)
