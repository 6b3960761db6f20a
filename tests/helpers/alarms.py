"""Takes all measurements of a training script as the page says, and returns what looks like a bug.

Here are the page's limits: nudge, overfit and reaches are taken in evaluation mode, drawers before the first
pass after a step, versions of the weights between two steps, and the ratio of `picture` from 30 rows on.
"""
from __future__ import annotations

import ast
from typing import Any

from minigrad.book.classroom.measurements import (
    again,
    distinct,
    drawers,
    moved,
    nudge,
    overfit,
    picture,
    reaches,
    shapes,
    versions,
)
from minigrad.book.classroom.patients.backend import for_minigrad
from tests.helpers.examining import Doctor, Places, Probe, is_optimizer, run

Alarm = tuple[str, str]


def code_of(source: str, library: str) -> Any:
    tree = Places().visit(ast.parse(for_minigrad(source) if library == "minigrad" else source))
    return compile(ast.fix_missing_locations(tree), "<script>", "exec")


def loss_of_loop(source: str, value: str, names: dict[str, Any]) -> Any:
    """Return a function that computes the loss as the loop does, from the same random state."""
    code, last = compile(source, "<loss>", "exec"), compile(value, "<loss>", "eval")

    def loss(*_: Any) -> Any:
        names["torch"].manual_seed(0)
        exec(code, names)
        return eval(last, names)
    return loss


def before_the_loop(doctor: Probe, source: str, value: str, names: dict[str, Any]) -> list[Alarm]:
    """Return the alarms of the measurements that need no training."""
    model, loss_of, x, y = (names[name] for name in ("model", "loss_of", "x", "y"))
    x, y = (doctor.names.get(name, old) for name, old in (("x", x), ("y", y)))
    torch, found = names["torch"], []
    model.eval()
    loss_of(x, y)
    if any(len(shape) > 1 and shape[:2] == (len(x), len(x)) for shape, _, _ in doctor.locals + shapes(
            model(x)[:, 0] - y if model(x).shape[1] == 1 else y)):
        found.append(("shapes", "more errors than rows"))
    loss = loss_of_loop(source, value, names)
    for p in model.parameters():
        p.grad = None
    loss().backward()
    for name, p in model.named_parameters():
        slope, drawer = nudge(loss, p), None if p.grad is None else p.grad.view(-1)[0].item()
        if p.requires_grad and abs(slope - (drawer or 0.)) > 0.01 + 0.1 * max(abs(slope), abs(drawer or 0.)):
            found.append(("nudge", f"{name}: {slope} and not {drawer}"))
    if any(other > 0 for other in reaches(loss_of, x, y)[1:]):
        found.append(("reaches", "other rows"))
    found += [("distinct", name) for name, p in model.named_parameters()
              if p.dim() > 1 and len(p) > 1 and p.abs().max() > 0 and distinct(*p)[0] == 1]
    if len(x) >= 30 and torch.is_floating_point(x) and picture(x, y)[1] > 0.95:
        found.append(("picture", "the inputs don't tell the targets"))
    fresh = torch.optim.Adam(model.parameters(), lr=0.02)
    four = loop = overfit(loss_of, fresh, x, y)
    if {"+", "-"} & {*source.splitlines()[-1].split()}:     # the loss of the loop has a term of its own
        loop = overfit(loss, fresh, x, y)
    if not four < 0.1 or not min(four, loop) > -0.1:
        found.append(("overfit", f"{four} with four rows, {loop} in the loop"))
    return found


class Nurse(Doctor):
    """Looks on while the script trains, and notes alarms."""

    def __init__(self, names: dict[str, Any]) -> None:
        super().__init__(names)
        self.found: list[Alarm] = []
        self.epochs: list[list[Any]] = []
        self.old: Any = None
        self.last: Any = None
        self.written: list[int] | None = None
        self.stepped: set[int] = set()
        self.data: list[int] = []
        self.stays: dict[str, bool] = {}

    def note(self, measurement: str, says: str) -> None:
        if not any(measurement == one for one, _ in self.found):
            self.found.append((measurement, says))

    def turn(self) -> None:
        self.epochs.append([])
        self.data = self.data or [version for version, _ in versions(self.names["x"], self.names["y"])]

    def received(self, x: Any, y: Any) -> None:
        if self.names["torch"].is_grad_enabled() and self.epochs:
            self.epochs[-1].append(x.detach().clone())

    def before_pass(self, *_: Any) -> None:
        if self.stepped >= {id(one) for one in self.optimizers().values()}:
            full = [name for name, norm in drawers(self.model).items() if norm not in (None, 0., "frozen")]
            if full:
                self.note("drawers", f"full before the first pass after a step: {full}")
            self.stepped = set()

    def after_pass(self) -> None:
        told = drawers(self.model)
        if odd := [name for name, norm in told.items() if norm in (None, "not frozen")]:
            self.note("drawers", f"after the pass: {odd}")

    def before_step(self, optimizer: Any) -> None:
        if not is_optimizer(optimizer):
            return
        if self.written is not None and self.writes() != self.written:
            self.note("versions", "a weight is written between two steps")
        if self.last and any(far for far, _ in moved(self.model, optimizer, self.last).values()):
            self.note("moved", "a weight moves between two steps")
        self.old = self.kept()

    def after_step(self, optimizer: Any) -> None:
        if not is_optimizer(optimizer):
            return
        self.stepped.add(id(optimizer))
        self.last, self.written = self.kept(), self.writes()
        each = [moved(self.model, one, self.old) for one in self.optimizers().values()]
        for name, norm in drawers(self.model).items():
            if name in each[0] and norm != "frozen" and all(told[name][1] is None for told in each):
                self.note("moved", f"no optimizer holds {name}")
        for name, (far, rate) in moved(self.model, optimizer, self.old).items():
            if rate and drawers(self.model)[name] not in (None, 0., "frozen"):
                self.stays[name] = self.stays.get(name, True) and not far

    def writes(self) -> list[int]:
        return [version for version, _ in versions(*self.model.parameters())]

    def at_the_end(self) -> list[Alarm]:
        """Return all alarms; the script has ended."""
        torch, model, x, y = (self.names[name] for name in ("torch", "model", "x", "y"))
        if [version for version, _ in versions(x, y)] != self.data:
            self.note("versions", "the data are written")
        if still := [name for name, stays in self.stays.items() if stays]:
            self.note("moved", f"never moved: {still}")
        first, second = self.epochs[:2]
        if len(first) > 1 and distinct(*first)[0] == 1 or (
                len(first) == 1 and len(first[0]) < len(x) and distinct(*first, *second)[0] == 1):
            self.note("distinct", "all batches are the same")
        elif len(first) > 1 and distinct(torch.cat(first), torch.cat(second))[0] == 1 and distinct(
                torch.cat(first), x)[0] == 2:
            self.note("distinct", "two epochs take the rows in the same order")
        with torch.no_grad():
            told = again(model, lambda: self.names["loss_of"](x, y))
        if told["eval"][0] != told["eval"][1]:
            self.note("again", f"differs from itself in evaluation mode: {told}")
        if abs(told["eval again"] - told["eval"][0]) > 0.02 + 0.2 * abs(told["eval"][0]):
            self.note("again", f"the running statistics aren't those of the data: {told}")
        return self.found


def alarms(source: str, library: str = "minigrad") -> list[Alarm]:
    """Return (measurement, what looks like a bug) for all measurements of a script."""
    code = code_of(source, library)
    names: dict[str, Any] = {"__name__": "__main__"}
    probe = Probe(names, before_the_loop)
    run(code, probe, names)
    names = {"__name__": "__main__"}
    nurse = Nurse(names)
    run(code, nurse, names)
    return [*(probe.told or []), *nurse.at_the_end()]
