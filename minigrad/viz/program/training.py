"""The training around a tensor: the optimizers in the variables, and the calls in the program's text."""
from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

from ..graph.facts import is_tensor
from .names import _parts
from .places import Line, line_of
from .source import walked
from .trail import Called


class Event(NamedTuple):
    """A call that a training loop consists of: "backward", "grad", "empty" or "step"."""

    kind: str
    line: Line
    call: ast.AST
    owner: ast.expr  # the optimizer, the model, the tensor
    loops: tuple[ast.stmt, ...]  # from the outside in


class Training:
    """Which optimizers hold a tensor, and which calls concern it. Nothing is called."""

    def __init__(self, case: Any) -> None:
        self.case, self.tensor, self.names, self.program = case, case.tensor, case.names, case.program

    # --- the optimizers

    @cached_property
    def optimizers(self) -> list[tuple[str, Any]]:
        found: dict[int, tuple[str, Any]] = {}
        frame = self.names.frame
        for scope in (frame.f_locals, frame.f_globals) if frame else ():
            for name, value in list(scope.items()):
                with suppress(Exception):  # what refuses to be looked at holds no optimizer
                    for path, one in {"": value, **_parts(value)}.items():
                        if callable(getattr(type(one), "step", None)) and type(
                                object.__getattribute__(one, "__dict__").get("param_groups")) is list:
                            found.setdefault(id(one), (name + path, one))
        return list(found.values())

    @cached_property
    def holders(self) -> list[tuple[str, Any, dict]]:
        """(name, optimizer, group) of each that holds the tensor."""
        return [(name, one, group) for name, one in self.optimizers for group in one.param_groups
                if any(held is self.tensor for held in group["params"])]

    @cached_property
    def strangers(self) -> list[str]:
        """The optimizers that hold others of the graph's leaves, or only tensors that no variable holds."""
        near = {id(leaf) for leaf in self.case.leaves}
        held = {name: [one for group in opt.param_groups for one in group["params"]]
                for name, opt in self.optimizers}
        return [name for name, params in held.items() if any(id(one) in near for one in params)
                or not any(self.names.of(one) for one in params)]

    # --- the calls in the text

    @cached_property
    def events(self) -> list[Event]:
        return [Event(kind, line_of(part), part, owner, loops) for body, _, _ in self.program.scopes
                for statement, _, loops in walked(body) if not hasattr(statement, "body")
                for part in ast.walk(statement) for kind, owner in _kinds(part)]

    @cached_property
    def everywhere(self) -> set[tuple[str, Line]]:
        """(kind, line) of such calls in the whole text, functions included."""
        return {(kind, line_of(part)) for body, _, _ in self.program.scopes for statement in body
                for part in ast.walk(statement) for kind, _ in _kinds(part)}

    def of_kind(self, kind: str) -> list[Event]:
        """The events that concern the tensor, as far as their owner is known."""
        return [event for event in self.events if event.kind == kind and self._concerns(event)]

    def _concerns(self, event: Event) -> bool:
        value = self.program.held(event.owner)
        if isinstance(event.owner, ast.Name) and not self.program.held_once(event.owner.id):
            return True  # the variable of a loop: it may have been the tensor, or its optimizer
        if is_tensor(value):
            return self.case.leads_to(value) if event.kind in ("backward", "grad") else value is self.tensor
        if any(value is one for _, one in self.optimizers):
            return any(value is one for _, one, _ in self.holders)
        return not hasattr(type(value), "parameters") or self.case.leads_to(Called("", value))

    def adding(self) -> Event | None:
        """A backward() that runs again, in a text that never empties a gradient."""
        name = re.split(r"\W", self.case.name)[0]
        again = len([one for one in self.program._places(name) if one]) > 1  # maybe another tensor before
        if again or any(kind == "empty" for kind, _ in self.everywhere):
            return None
        passes = [event for event in self.events if event.kind == "backward"
                  and is_tensor(root := self.program.value(event.owner)) and self.case.leads_to(root)]
        return next((event for event in passes if event.loops), passes[-1] if len(passes) > 1 else None)


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
    elif name in ("zero_", "fill_"):
        if isinstance(owner, ast.Attribute) and owner.attr == "data":
            owner = owner.value
        if isinstance(owner, ast.Attribute) and owner.attr == "grad":
            yield "empty", owner.value
    elif name == "step":
        yield "step", owner
