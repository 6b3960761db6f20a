"""The training around a tensor: the optimizers, and the calls in the program's text."""
from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property, partial
from typing import Any, NamedTuple
from weakref import proxy

from ..graph.facts import is_tensor
from ..graph.modules import is_model, members
from .cuts import Called
from .entered import looped_tensors
from .given import held_by, optimizers_in
from .lines import targets_of
from .node_lines import Line, line_of
from .parsed import FUNCTIONS, Body, parts_of, read_once_of_body
from .ran import around, has_run, in_branch, may_have_run
from .statements import attributes_in, simple_statements, walked

COPYING = ("data", "copy_", "load_state_dict", "_grad", "lerp_")


class Event(NamedTuple):
    """A call that a training loop consists of: "backward", "grad", "empty" or "step"."""

    kind: str
    line: Line
    call: Any
    owner: ast.expr  # the optimizer, the model, the tensor
    loops: tuple[ast.stmt, ...]  # from the outside in
    unsure: bool = False  # it is in a branch that may not have been taken


class Training:
    """Which optimizers hold a tensor, and which calls concern it. Nothing is called."""

    def __init__(self, case: Any) -> None:
        self.case = proxy(case)  # no cycle: a case dies, with its tensors, when it has answered
        self.tensor, self.names, self.program = case.tensor, case.names, case.program
        self._once = partial(case.common.once, of=self.program)  # for all tensors of the program

    # --- the optimizers

    @property
    def optimizers(self) -> list[tuple[str, Any]]:
        frame = self.names.frame
        return self._once("optimizers", look=lambda: optimizers_in(
            [frame] if frame else [], self.names.tensors.values()))

    @cached_property
    def holders(self) -> list[tuple[str, Any, dict]]:
        """(name, optimizer, group) of each that holds the tensor."""
        groups = self._once("groups", look=lambda: [
            (name, one, group, set(map(id, group["params"]))) for name, one in self.optimizers
            for group in one.param_groups])
        return [(name, one, group) for name, one, group, held in groups if id(self.tensor) in held]

    @cached_property
    def strangers(self) -> list[str]:
        """The optimizers of others of the graph's leaves, or of tensors that no variable holds.

        Else those whose step() comes right after a pass that fills the tensor's gradient.
        """
        return self.case.common.once("strangers", self.case.leaves, self._near) or self._stepping()

    def _near(self) -> list[str]:
        near = {id(leaf) for leaf in self.case.leaves}
        held = {name: held_by(one) for name, one in self.optimizers}
        return [name for name, params in held.items() if any(id(one) in near for one in params)
                or not any(self.names.of(one) for one in params)]

    def _stepping(self) -> list[str]:
        if any(word in attributes_in(body) for body, *_ in self.program.scopes for word in COPYING):
            return []  # the optimizer may hold copies, whose numbers go back and forth
        passes, known = self.of_kind("backward"), {id(one): name for name, one in self.optimizers}
        found = []
        for event in passes:
            later = sorted((one for one in self.events if one.kind in ("backward", "step")
                            and one.line > event.line and _block(one) is _block(event)
                            and one.loops == event.loops[:len(one.loops)]
                            and bool(one.loops) == bool(event.loops)), key=lambda one: one.line)
            after = next((one for one in later if one not in passes), None)
            if after is not None and after.kind == "step":
                found.append(known.get(id(self.program.held(after.owner)), ""))
        return list(dict.fromkeys(found)) if all(found) else []

    # --- the calls in the text

    @property
    def events(self) -> list[Event]:
        """Those that may have run."""
        return self._once("events", look=lambda: [
            event for body, _, _ in self.program.scopes for event in _events_in(body)
            if may_have_run(self.program, event.call)])

    def unrolled(self) -> list[Event]:
        """The passes, zeroings and steps of the tensor in order, each loop twice, of one function
        or file.

        Steps and zeroings count where their owner is an optimizer that holds the tensor, or its
        model.
        """
        found = [event for kind in ("backward", "empty") for event in self.of_kind(kind)]
        found += [event for event in self.of_kind("step")
                  if any(self.program.held(event.owner) is one for _, one, _ in self.holders)]
        block = next((_block(event) for event in self.events if event.kind == "backward"), None)
        found.sort(key=lambda event: (event.line.line, event.call.col_offset))
        return _repeated(self.program, [one for one in found if _block(one) is block], 0)

    def of_functions(self) -> list[list[Event]]:
        """The same, for each function of the text that has been called, by the names in it.

        An optimizer is told by its name; whether a backward() concerns the tensor isn't known.
        """
        names = frozenset(name for name, _, _ in self.holders)
        called = self._once("called", look=lambda: {
            getattr(call.func, "id", "") for call, _ in self.program.calls
            if has_run(self.program, call)})
        return self._once(("functions", names), look=lambda: [
            _repeated(self.program, [event for event in _events_in(part.body)
                                     if event.kind == "backward"
                                     or ast.unparse(event.owner) in names], 0)
            for body, _, _ in self.program.scopes for part in body
            if isinstance(part, FUNCTIONS) and part.name in called])

    def data_writes(self) -> list[ast.stmt]:
        """The lines that have run and that write to the tensor through `.data`."""
        rows = self._once("data", look=lambda: [
            (statement, one.value) for body, _, _ in self.program.scopes
            for statement in simple_statements(body)
            for one in [*targets_of(statement), *getattr(statement, "targets", ())]
            if isinstance(one, ast.Attribute) and one.attr == "data"
            and has_run(self.program, statement)])
        return [statement for statement, owner in rows if self._is_or_was(owner)]

    def _is_or_was(self, part: ast.expr) -> bool:
        """Whether an expression is the tensor, or the variable of a loop over parameters."""
        return any(one is self.tensor for one in (
            self.program.held(part), *looped_tensors(part, self.program)))

    @property
    def everywhere(self) -> set[tuple[str, Line]]:
        """(kind, line) of such calls in the whole text, functions included."""
        return self._once("everywhere", look=lambda: {
            (kind, line_of(part)) for part in self.program.parts for kind, _ in kinds_of(part)})

    def of_kind(self, kind: str) -> list[Event]:
        """The events that concern the tensor, as far as their owner is known."""
        return [event for event in self.events if event.kind == kind and self._concerns(event)]

    def _concerns(self, event: Event) -> bool:
        value = self.program.held(event.owner)
        if isinstance(event.owner, ast.Name) and not self.program.held_once(event.owner.id):
            return True  # the variable of a loop: it may have been the tensor, or its optimizer
        if is_tensor(value):
            passed = event.kind in ("backward", "grad")
            return self.case.leads_to(value) if passed else value is self.tensor
        if any(value is one for _, one in self.optimizers):
            return any(value is one for _, one, _ in self.holders)
        return not hasattr(type(value), "parameters") or self.case.leads_to(Called("", value))

    def left_others(self, event: Event) -> bool:
        """Whether others that a zero_grad() would have emptied, too, still have a gradient."""
        owner = self.program.held(event.owner)
        held = held_by(owner) if hasattr(owner, "param_groups") else [
            one for _, one in members(owner)] if is_model(owner) else []
        emptied = set(map(id, held)) - {id(self.tensor)}
        return any(id(leaf) in emptied and leaf.grad is not None for leaf in self.case.leaves)

    def adding(self) -> Event | None:
        """A backward() that adds to a gradient by mistake, as no line empties it in between.

        A step lies between it and the pass before, or there is a pass before and no step after it.
        """
        name = re.split(r"\W", self.case.name)[0]
        # maybe another tensor before
        again = len([one for one in self.program._places(name) if one]) > 1
        events = self.unrolled()
        known = {one.line for one in events if one.kind == "empty" and not one.unsure}
        if again or any(kind == "empty" and line not in known for kind, line in self.everywhere):
            return None
        passes, stepped, mistake, taken = 0, False, None, None
        for event in events:
            if event.kind == "empty":
                passes, stepped, mistake = 0, False, None
            elif event.kind == "step":
                stepped, mistake = stepped or passes > 0, mistake if stepped else None
                taken = taken or mistake
            elif not event.unsure and is_tensor(root := self.program.value(event.owner)) and (
                    self.case.leads_to(root)):
                mistake = mistake or (event if passes else None)
                passes += 1
        return taken or (None if known else mistake)  # else it may be there to be looked at


@read_once_of_body
def _events_in(body: Body, mode: str) -> list[Event]:
    return [Event(kind, line_of(part), part, owner, loops) for statement, _, loops in walked(body)
            if not hasattr(statement, "body") for part in parts_of(statement)
            for kind, owner in kinds_of(part)]


def _block(event: Event) -> ast.AST:
    """The function or the file that an event is in."""
    return around(event.call)[-1][1]


def _repeated(program: Any, events: list[Event], depth: int) -> list[Event]:
    """Events in order, with what is in a loop twice."""
    found: list[Event] = []
    while events:
        loop = events[0].loops[depth] if len(events[0].loops) > depth else None
        if loop is None:
            found.append(events[0]._replace(unsure=in_branch(program, events[0].call)))
            events = events[1:]
        else:
            inside = [one for one in events if len(one.loops) > depth and one.loops[depth] is loop]
            found += _repeated(program, inside, depth + 1) * 2
            events = [one for one in events if one not in inside]
    return found


def kinds_of(part: ast.AST) -> Iterator[tuple[str, ast.expr]]:
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
