"""The table of a run's parameters, the worst first: gradient, step, and what is wrong, from recorded facts."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..drawing.explanation import Fix
from ..graph.facts import Numbers, number, shape_of
from ..graph.modules import joined
from .calls import Call, own, parts
from .history import Event, doubled, history_of
from .records import Line

TINY, LARGE = 1e-7, 1e6  # norms of a gradient


class Row(NamedTuple):
    """What is known of one parameter."""

    name: str
    shape: tuple[int, ...]
    state: str  # "" where nothing is wrong; else "NaN", "None", "zero" ...
    sentence: str  # what is wrong
    line: Line | None
    grad: Numbers | None  # at its last step, or after its last pass
    lr: float | None
    update: float | None
    weight: float | None
    optimizer: str
    moved: bool | None  # None: no step was seen

    @property
    def ratio(self) -> float | None:
        """The size of the update against that of the parameter."""
        return self.update / self.weight if self.update is not None and self.weight else None


# From the worst to the best.
STATES = ("NaN", "infinite", "stale", "None", "no optimizer", "emptied", "zero", "doubled", "lr is 0", "huge",
          "vanishing", "not moved", "", "frozen")
FIXES = {
    "stale": Fix("Set its .grad to None when you freeze it.", "none"),
    "no optimizer": Fix("Give it to the optimizer, with `optimizer.add_param_group({'params': [...]})`.", "none"),
    "emptied": Fix("Call `zero_grad()` before `backward()`, or after `step()`.", "none"),
    "doubled": Fix("Call `optimizer.zero_grad()` after each step.", "none"),
    "lr is 0": Fix("Give the optimizer a learning rate above 0.", "none"),
    "huge": Fix("Limit it with `torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)` before the step.",
                "steps of the same direction, but of a limited length"),
}


def rows_of(models: Mapping[str, Any], calls: list[Call]) -> list[Row]:
    """One row for each parameter of the models, the worst first."""
    called = {id(call.root): True for call in calls}
    ran = {(call.root.name, call.inner) for call in calls}
    seen: dict[int, None] = {}
    found = []
    for name, model in models.items():
        for path, module in parts(model):
            for key, leaf in own(module, "_parameters").items():
                if leaf is not None and id(leaf) not in seen:
                    seen[id(leaf)] = None
                    history = history_of(leaf)
                    found.append((joined(name, path, key), leaf, history, (name, path) in ran or not called))
    steps = any(event.kind == "step" for _, _, history, _ in found for event in history)
    passes = any(event.kind == "pass" for _, _, history, _ in found for event in history)
    rows = [_row(*one, steps=steps, passes=passes) for one in found]
    return sorted(rows, key=lambda row: STATES.index(row.state))


def _row(name: str, leaf: Any, history: list[Event], ran: bool, steps: bool, passes: bool) -> Row:
    last_step = next((event for event in reversed(history) if event.kind == "step"), None)
    last_pass = next((event for event in reversed(history) if event.kind == "pass"), None)
    step, grad = last_step or Event("", None, 0), (last_step or last_pass or Event("", None, 0)).grad
    state, sentence, line = _state(leaf, history, last_step, last_pass, ran, steps, passes)
    optimizer = " ".join(filter(None, (step.name, f"({step.optimizer})" if step.name else step.optimizer)))
    moved = None if last_step is None else bool(step.update)
    return Row(name, shape_of(leaf), state, sentence, line, grad, step.lr, step.update, step.weight, optimizer,
               moved)


def _state(leaf: Any, history: list[Event], step: Event | None, last: Event | None, ran: bool, steps: bool,
           passes: bool) -> tuple[str, str, Line | None]:
    """(state, sentence, line) of the worst that is known."""
    if not leaf.requires_grad:
        if step is not None and step.update and last is None:
            return "stale", "is frozen, but a step moved it, with an older gradient or with weight decay", step.line
        return "frozen", "", None
    grad = step.grad if step is not None else last.grad if last is not None else None
    emptied = next((event for event in reversed(history) if event.kind == "emptied"
                    and (step is None or event.order < step.order)), None)
    if grad is not None and grad.nans:
        return "NaN", f"has {grad.nans} NaN in its gradient", (last or step or history[0]).line
    if grad is not None and grad.infinite:
        return "infinite", f"has {grad.infinite} infinite numbers in its gradient", (last or step or history[0]).line
    if last is None:
        if not passes:
            return "", "", None
        why = "no backward pass reached it" if ran else "its module was not called"
        return "None", f"has no gradient: {why}", None
    if step is None and steps:
        return "no optimizer", "has a gradient, but no optimizer that took a step holds it", None
    if step is not None and (grad is None or grad.norm == 0) and emptied is not None and emptied.order > last.order:
        return "emptied", "had its gradient emptied between the pass and the step", emptied.line
    if (again := doubled(history)) is not None:
        return "doubled", "has a gradient that is the sum over passes between which a step was taken", again.line
    if grad is not None and grad.norm == 0 and grad.size:
        return "zero", "has a gradient of zeros alone", last.line
    if step is not None and step.lr == 0:
        return "lr is 0", "has a learning rate of 0", step.line
    if grad is not None and grad.norm is not None and grad.norm > LARGE:
        return "huge", f"has a gradient of norm {number(grad.norm)}", last.line
    if grad is not None and grad.norm is not None and grad.norm < TINY:
        return "vanishing", f"has a gradient of norm {number(grad.norm)} only", last.line
    if step is not None and step.update == 0:
        return "not moved", "was not changed by the step", step.line
    return "", "", None
