"""Examines a training script with the page of measurements, and returns what they told as plain data.

The calls are inserted by mechanical rules: before and after a statement with `.backward()` or `.step()`, at
the beginning and before the end of `loss_of`, at the beginning of a loop, and after the last line. The script
may use the names `model`, `loss_of`, `x`, `y`, `test_x` and `test_y`; whatever has `param_groups` is an
optimizer.
"""
from __future__ import annotations

import ast
import contextlib
import io
import warnings
from collections.abc import Callable
from typing import Any

from minigrad.book.classroom.measurements import (
    again,
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

DOCTOR = "_doctor"
STEPS = 20      # before `reaches` is taken again
ROWS = 60       # so many rows go through the layers whose outputs are looked at


class Enough(Exception):
    """A probe has seen what it wanted, and the script need not go on."""


# --- the places of the calls ---

class Places(ast.NodeTransformer):
    """Inserts a call of the doctor at each place of a script."""

    def __init__(self) -> None:
        self.inside: list[str] = []

    def body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for at, statement in enumerate(statements):
            call = statement.value if isinstance(statement, ast.Expr) else None
            called = call.func if isinstance(call, ast.Call) else None
            name = called.attr if isinstance(called, ast.Attribute) else ""
            if name == "backward":
                remade = [one for one in statements[:at] if isinstance(one, (ast.Assign, ast.If))]
                source = ast.unparse(ast.Module(remade, []))
                value = ast.unparse(called.value)
                found += [call_of("before_pass", repr(source), repr(value), "globals()", "locals()"),
                          statement, call_of("after_pass")]
            elif name == "step":
                value = ast.unparse(called.value)
                found += [call_of("before_step", value), statement, call_of("after_step", value)]
            elif isinstance(statement, ast.Return) and self.inside[-1:] == ["loss_of"]:
                found += [call_of("loss_locals", "locals()"), statement]
            else:
                found.append(self.visit(statement))
        return found

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        self.inside.append(node.name)
        node.body = self.body(node.body)
        if node.name == "loss_of":
            node.body.insert(0, call_of("received", *(one.arg for one in node.args.args)))
        self.inside.pop()
        return node

    def visit_For(self, node: ast.For) -> ast.stmt:
        outermost = not self.inside
        self.inside.append("for")
        node.body = self.body(node.body)
        self.inside.pop()
        if outermost:
            node.body.insert(0, call_of("turn"))
        return node

    def visit_With(self, node: ast.With) -> ast.stmt:
        node.body = self.body(node.body)
        return node

    def visit_Module(self, node: ast.Module) -> ast.Module:
        node.body = self.body(node.body)
        return node


def call_of(name: str, *words: str) -> ast.stmt:
    return ast.parse(f"{DOCTOR}.{name}({', '.join(words)})").body[0]


# --- one run ---

class Doctor:
    """What every run does at the places: nothing. `names` are the script's own names."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names

    @property
    def model(self) -> Any:
        return self.names["model"]

    def optimizers(self) -> dict[str, Any]:
        """Return the optimizers of the script by name."""
        return {name: one for name, one in self.names.items() if is_optimizer(one)}

    def kept(self) -> dict[str, Any]:
        """Return copies of the weights."""
        return {name: p.detach().clone() for name, p in self.model.named_parameters()}

    def nothing(self, *_: Any) -> None:
        pass

    before_pass = after_pass = before_step = after_step = loss_locals = received = turn = nothing


def is_optimizer(one: Any) -> bool:
    return hasattr(type(one), "add_param_group")


class All:
    """Several optimizers as one."""

    def __init__(self, optimizers: Any) -> None:
        self.each = list(optimizers)

    def zero_grad(self) -> None:
        for one in self.each:
            one.zero_grad()

    def step(self) -> None:
        for one in self.each:
            one.step()


class Watcher(Doctor):
    """Looks on while the script trains: drawers, moved, versions and the data that the loss is given."""

    def __init__(self, names: dict[str, Any]) -> None:
        super().__init__(names)
        self.events: list[tuple] = []
        self.given: list[list[tuple]] = []
        self.versions: list[Any] = []
        self.pictures: dict[str, Any] = {}
        self.tested_in_training: bool | None = None
        self.old = self.last = None
        self.turns = 0

    def turn(self) -> None:
        self.events.append(("turn",))
        self.given.append([])

    def received(self, x: Any, y: Any) -> None:
        if not self.names["torch"].is_grad_enabled():
            return
        if self.given and len([one for one in self.given if one]) <= 2:
            self.given[-1].append((x.detach().clone(), y.clone()))

    def before_pass(self, *_: Any) -> None:
        if not self.versions:
            self.versions.append(self.written())
            self.pictures = {"train": picture(self.names["x"], self.names["y"]),
                             "test": picture(self.names["test_x"], self.names["test_y"])}
        self.events.append(("before the pass", drawers(self.model)))

    def after_pass(self) -> None:
        self.events.append(("after the pass", drawers(self.model)))

    def before_step(self, optimizer: Any) -> None:
        if not is_optimizer(optimizer):
            return
        outside = moved(self.model, optimizer, self.last) if self.last else None
        self.events.append(("before the step", drawers(self.model), outside))
        self.old = self.kept()

    def after_step(self, optimizer: Any) -> None:
        if is_optimizer(optimizer):
            told = {name: moved(self.model, one, self.old) for name, one in self.optimizers().items()}
            self.events.append(("after the step", moved(self.model, optimizer, self.old), told))
            self.last = self.kept()

    def written(self) -> dict[str, list]:
        """Return the versions of the data, and of each list of tensors beside the weights."""
        found = {"data": versions(*(self.names[name] for name in ("x", "y", "test_x", "test_y")))}
        weights = list(self.model.parameters())
        known = {id(p) for p in weights}
        for name, value in self.names.items():
            for at, tensors in enumerate(columns_of(value)):
                if any(id(t) in known for t in tensors):
                    continue
                found[f"{name}/{at}"] = versions(*tensors)
                found[f"{name}/{at} and weights"] = versions(*tensors, *weights)[:len(tensors)]
        return found

    def mode(self) -> Any:
        """Return a forward hook that notes in which mode a model is tested."""
        def hook(module: Any, *_: Any) -> None:
            if not self.names["torch"].is_grad_enabled() and module is self.model:
                self.tested_in_training = module.training
        return hook


def columns_of(value: Any) -> list[list[Any]]:
    """Return the tensors of a list, a dict, or a list of tuples, position by position."""
    items = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(items, (list, tuple)) or len(items) < 2:
        return []
    rows = [item if isinstance(item, tuple) else (item,) for item in items]
    if not all(hasattr(t, "data_ptr") for row in rows for t in row) or len({len(row) for row in rows}) != 1:
        return []
    return [list(column) for column in zip(*rows)]


class Probe(Doctor):
    """Stops the script before its first backward pass, and looks at something there."""

    def __init__(self, names: dict[str, Any], look: Callable[..., Any]) -> None:
        super().__init__(names)
        self.look, self.told, self.locals = look, None, []

    def loss_locals(self, found: dict[str, Any]) -> None:
        self.locals = shapes(*found.values())

    def before_pass(self, source: str, value: str, names: dict[str, Any], here: dict[str, Any]) -> None:
        self.told = self.look(self, source, value, {**names, **here})
        raise Enough


def layers(doctor: Probe, *_: Any) -> dict[str, Any]:
    """Shapes: the prediction, what the loss is made of, and what each layer is given and returns."""
    model, x, y = doctor.model, doctor.names["x"], doctor.names["y"]
    found = []

    def hook(layer: Any, given: Any, out: Any) -> None:
        if not list(layer.children()):
            flat = [t.detach().reshape(len(t), -1) for t in (given[0], out)]
            found.append((shapes(given[0], out), [picture(t, t[:, 0])[0] for t in flat]))

    handles = [layer.register_forward_hook(hook) for layer in model.modules()]
    model.train()
    model(x[:ROWS])
    for handle in handles:
        handle.remove()
    model.eval()
    doctor.names["loss_of"](x, y)
    return {"layers": found, "loss": doctor.locals, "prediction": shapes(model(x), y),
            "weights": shapes(*model.parameters())}


def beyond(doctor: Probe, *_: Any) -> list[tuple]:
    """Shapes of the weights that hide in attributes of the model."""
    seen = {id(p) for p in doctor.model.parameters()}
    found = [p for value in vars(doctor.model).values() if isinstance(value, (list, tuple))
             for one in value if hasattr(one, "parameters") for p in one.parameters()]
    return shapes(*(p for p in found if id(p) not in seen))


def who_reaches(doctor: Probe, *_: Any) -> list[Any]:
    """Reaches: before training and after some steps, for a layer of zeros lets nothing through."""
    loss_of, x, y = (doctor.names[name] for name in ("loss_of", "x", "y"))
    doctor.model.eval()
    told = [reaches(loss_of, x, y)]
    one = doctor.names["torch"].optim.SGD(doctor.model.parameters(), lr=0.1)
    for _ in range(STEPS):
        one.zero_grad()
        loss_of(x[:4], y[:4]).backward()
        one.step()
    return [*told, reaches(loss_of, x, y)]


def slopes(doctor: Probe, source: str, value: str, names: dict[str, Any]) -> Any:
    """Nudge: for two numbers of each weight, the slope of the script's loss, and what the drawer holds.

    The loss is multiplied by ten, because the measurement gives three digits.
    """
    code, last = compile(source, "<loss>", "exec"), compile(value, "<loss>", "eval")

    def loss() -> Any:
        names["torch"].manual_seed(0)
        exec(code, names)
        return eval(last, names)

    for p in doctor.model.parameters():
        p.grad = None
    loss().backward()
    return [(name, nudge(lambda: 10 * loss(), p, at=at) / 10,
             None if p.grad is None else round(p.grad.view(-1)[at].item(), 4))
            for name, p in doctor.model.named_parameters() for at in sorted({0, p.numel() // 2})]


def step_with(*fills: float) -> Callable[..., Any]:
    """Moved: how far a step goes if every number in every drawer is the same; of several steps, the last."""
    def look(doctor: Probe, *_: Any) -> Any:
        for number in fills:
            for p in doctor.model.parameters():
                p.grad = doctor.names["torch"].full_like(p.detach(), number)
            old = doctor.kept()
            All(doctor.optimizers().values()).step()
        return {name: moved(doctor.model, optimizer, old) for name, optimizer in doctor.optimizers().items()}
    return look


def four_rows(fresh: bool) -> Callable[..., Any]:
    """Overfit: with the script's own optimizers, or with a fresh one."""
    def look(doctor: Probe, *_: Any) -> Any:
        doctor.model.eval()
        one = (doctor.names["torch"].optim.Adam(doctor.model.parameters(), lr=0.02) if fresh
               else All(doctor.optimizers().values()))
        return overfit(doctor.names["loss_of"], one, doctor.names["x"], doctor.names["y"])
    return look


PROBES: dict[str, Callable[..., Any]] = {
    "shapes": layers, "hidden": beyond, "overfit": four_rows(False), "overfit fresh": four_rows(True),
    "nudge": slopes, "zeros": step_with(0.), "ones": step_with(1.),
    "tens": step_with(10.), "memory": step_with(1., 0.), "reaches": who_reaches}


def run(code: Any, doctor: Doctor, names: dict[str, Any]) -> tuple[str, list[str]]:
    """Run the script with a doctor; return what it printed, and the warnings."""
    out = io.StringIO()
    names[DOCTOR] = doctor
    with warnings.catch_warnings(record=True) as heard, contextlib.redirect_stdout(out):
        warnings.simplefilter("always")
        with contextlib.suppress(Enough):
            exec(code, names)
    return out.getvalue(), [str(one.message) for one in heard]


def examine(source: str, library: str = "minigrad") -> dict[str, Any]:
    """Return what the measurements tell about a script, by measurement: plain data."""
    tree = Places().visit(ast.parse(for_minigrad(source) if library == "minigrad" else source))
    code = compile(ast.fix_missing_locations(tree), "<script>", "exec")
    chart: dict[str, Any] = {}
    for name, look in PROBES.items():
        names: dict[str, Any] = {"__name__": "__main__"}
        probe = Probe(names, look)
        run(code, probe, names)
        chart[name] = probe.told
    names = {"__name__": "__main__"}
    watcher = Watcher(names)
    hooked = False

    def turn() -> None:
        nonlocal hooked
        if not hooked and "model" in names:
            names["model"].register_forward_hook(watcher.mode())
            hooked = True
        Watcher.turn(watcher)

    watcher.turn = turn      # type: ignore[method-assign]
    printed, chart["warnings"] = run(code, watcher, names)
    return {**chart, **at_the_end(watcher, printed)}


def at_the_end(watcher: Watcher, printed: str) -> dict[str, Any]:
    """Return what is measured after the last line."""
    names, model, tested = watcher.names, watcher.model, watcher.tested_in_training
    torch, loss_of, test_x, test_y = (names[name] for name in ("torch", "loss_of", "test_x", "test_y"))
    with torch.no_grad():
        found = {"again": again(model, lambda: loss_of(test_x, test_y)),
                 "again mode": again(model, lambda: (loss_of(test_x, test_y), float(model.training))[1])}
        if watcher.model(test_x).shape[1] > 1:
            found["again accuracy"] = again(
                model, lambda: (model(test_x).argmax(dim=1) == test_y).float().mean())
    batches = next((turn for turn in watcher.given if turn), [])
    whole = [torch.cat(part) for part in zip(*batches)]
    return {**found, "printed": printed.split()[-1], "tested in training": tested,
            "events": watcher.events, "versions": [*watcher.versions, watcher.written()],
            "picture": {**watcher.pictures,
                        "given": picture(*whole), "rows": len(whole[1]),
                        "targets": [picture(y, y)[0][0] for _, y in batches],
                        "all targets": picture(names["y"], names["y"])[0][0]}}
