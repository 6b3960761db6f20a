"""The training around a tensor: the optimizers in the variables, and the calls in the program's text."""
from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from .facts import is_tensor
from .names import Names
from .places import Line, line_of
from .source import Program, _statements, walked
from .trail import Called


class Event(NamedTuple):
    """A call that a training loop consists of: "backward", "grad", "empty", "step" or "hook"."""

    kind: str
    call: ast.AST
    owner: ast.expr | None  # the optimizer, the model, the tensor
    loops: tuple[ast.stmt, ...]  # from the outside in

    @property
    def line(self) -> Line:
        return line_of(self.call)

    @property
    def at(self) -> tuple[Any, ...]:
        return *self.line, getattr(self.call, "end_col_offset", 0)


class Training:
    """Which optimizers hold a tensor, and which calls concern it. Nothing is called."""

    def __init__(self, tensor: Any, names: Names, program: Program, leads_to: Callable[[Any], bool],
                 leaves: Callable[[], list[Any]]) -> None:
        self.tensor, self.names, self.program = tensor, names, program
        self.leads_to, self.leaves = leads_to, leaves

    # --- the optimizers

    @cached_property
    def optimizers(self) -> list[tuple[str, Any]]:
        found: dict[int, tuple[str, Any]] = {}
        frame = self.names.frame
        for scope in (frame.f_locals, frame.f_globals) if frame else ():
            for name, value in list(scope.items()):
                for path, one in _inside(str(name), value):
                    groups = _variables(one).get("param_groups")
                    if type(groups) is list and callable(getattr(type(one), "step", None)):
                        found.setdefault(id(one), (path, one))
        return list(found.values())

    @cached_property
    def holders(self) -> list[tuple[str, Any, dict]]:
        """(name, optimizer, group) of each that holds the tensor."""
        return [(name, one, group) for name, one in self.optimizers for group in one.param_groups
                if any(held is self.tensor for held in group["params"])]

    @cached_property
    def strangers(self) -> list[str]:
        """The optimizers that hold others of the graph's leaves, or only tensors that no variable holds."""
        near = {id(leaf) for leaf in self.leaves()}
        held = {name: [one for group in opt.param_groups for one in group["params"]]
                for name, opt in self.optimizers}
        return [name for name, params in held.items() if any(id(one) in near for one in params)
                or not any(self.names.of(one) for one in params)]

    # --- the calls in the text

    @cached_property
    def events(self) -> list[Event]:
        return [Event(kind, part, owner, loops) for body, _, _ in self.program.scopes
                for statement, _, loops in walked(body) if not hasattr(statement, "body")
                for part in ast.walk(statement) for kind, owner in _kinds(part)]

    def of_kind(self, kind: str) -> list[Event]:
        """The events that concern the tensor, as far as their owner is known."""
        return [event for event in self.events if event.kind == kind and self._concerns(event)]

    def _concerns(self, event: Event) -> bool:
        value = self.program.held(event.owner) if event.owner is not None else None
        if isinstance(event.owner, ast.Name) and not self.program.held_once(event.owner.id):
            return True  # the variable of a loop: it may have been the tensor, or its optimizer
        if is_tensor(value):
            return self.leads_to(value) if event.kind in ("backward", "grad") else value is self.tensor
        if any(value is one for _, one in self.optimizers):
            return any(value is one for _, one, _ in self.holders)
        return not hasattr(type(value), "parameters") or self.leads_to(Called.of("", value))

    def holds(self, event: Event) -> bool:
        """Whether this is a step() of an optimizer that holds the tensor."""
        return any(self.program.held(event.owner) is one for _, one, _ in self.holders)

    def before(self, step: Event) -> Event | None:
        """The last backward() or zero_grad() before a step; in a loop what ends the round comes before it."""
        near = [one for kind in ("backward", "empty") for one in self.of_kind(kind)]
        if len({one.line.filename for one in (step, *near)}) > 1:  # cells: nothing tells their order
            return None
        near = [one for one in near if one.loops[:len(step.loops)] == step.loops]
        near.sort(key=lambda one: one.at)
        earlier = [one for one in near if one.at < step.at] or (near if step.loops else [])
        return earlier[-1] if earlier else None

    def adding(self) -> Event | None:
        """A backward() before which nothing empties the gradient that another one left."""
        passes, empties = self.of_kind("backward"), self.of_kind("empty")
        visible = {event.line for event in self.events}
        if any(line_of(part) not in visible for part in self.parts() if list(_kinds(part))
               and next(_kinds(part))[0] == "empty"):
            return None  # a function empties it, perhaps
        if passes and not empties:
            return passes[-1]
        steps = {event.loops[-1] for event in self.of_kind("step") if event.loops}
        for at, event in enumerate(passes):
            loop = next((loop for loop in reversed(event.loops) if loop in steps), None)
            if loop and not any(loop in one.loops for one in empties):
                return event
            together = len({one.line.filename for one in (*passes, *empties)}) == 1  # no cells, as above
            between = [one for one in empties if passes[at - 1].at < one.at < event.at]
            if at and together and not event.loops and not between:
                return event
        return None

    def writes_zeros(self, event: Event) -> bool:
        """Whether an event empties a gradient by writing zeros into it."""
        name = getattr(getattr(event.call, "func", None), "attr", "")
        kept = any(one.arg == "set_to_none" and getattr(one.value, "value", True) is False
                   for one in getattr(event.call, "keywords", ()))
        return name in ("zero_", "fill_") or kept

    def parts(self) -> Iterator[ast.AST]:
        """Every part of the text, functions included."""
        statements = (statement for body, _, _ in self.program.scopes for statement in body)
        return (part for statement in statements for part in ast.walk(statement))

    def visible(self) -> Iterator[ast.AST]:
        """Every part of the text that runs in the frame or around it: no functions."""
        statements = (statement for body, _, _ in self.program.scopes for statement in _statements(body))
        return (part for statement in statements for part in ast.walk(statement))

    def says(self, *words: str) -> bool:
        """Whether the text, functions included, has one of these attributes."""
        return any(isinstance(part, ast.Attribute) and part.attr in words for part in self.parts())


def _inside(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A variable, and what it holds one step further in."""
    yield name, value
    if type(value) in (list, tuple):
        yield from ((f"{name}[{at}]", one) for at, one in enumerate(value[:50]))
    elif type(value) is dict:
        yield from ((f"{name}[{key!r}]", one) for key, one in list(value.items())[:50] if type(key) is str)
    elif not is_tensor(value):
        own = list(_variables(value).items())
        yield from ((f"{name}.{key}", one) for key, one in own if type(key) is str)


def _variables(value: Any) -> dict[str, Any]:
    """The attributes of an object; none where it has none, or refuses. No code of the object is run."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except Exception:
        return {}
    return found if type(found) is dict else {}


def _kinds(part: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(part, ast.Assign):
        yield from (("empty", target.value) for target in part.targets
                    if isinstance(target, ast.Attribute) and target.attr == "grad")
    if not isinstance(part, ast.Call) or not isinstance(part.func, ast.Attribute):
        return
    name, owner = part.func.attr, part.func.value
    if name in ("backward", "grad"):
        module = ast.unparse(owner).endswith("autograd")
        if not module or part.args:
            yield name, part.args[0] if module else owner
    elif name == "zero_grad":
        yield "empty", owner
    elif name in ("zero_", "fill_") and ast.unparse(owner).endswith((".grad", ".grad.data")):
        yield "empty", owner.value.value if owner.attr == "data" else owner.value
    elif name == "step":
        yield "step", owner
    elif name in ("register_hook", "register_post_accumulate_grad_hook"):
        yield "hook", owner
