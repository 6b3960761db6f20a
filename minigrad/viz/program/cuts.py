"""Where a value went on without its history: `detach()`, `no_grad`, integers, `torch.tensor(t)`,
`.item()`.

A constant that an operation keeps in the memory of a computed tensor was cut off from it, in any
program. The text says more: a value is followed back through it (see `trail`), from the expression
that a constant was assigned, or that is at its place in the line that recorded the operation, or
from the result. Where neither decides, nothing is claimed.
"""
from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..graph.facts import is_readable, is_tensor, is_written_view, storage_of, whole_number
from ..graph.model import Cut, Graph, Input, Tensor
from ..graph.modules import members
from .cut_words import parts
from .entered import looped_tensors, models_of
from .names import Names
from .node_lines import Line, line_of
from .operations import operands
from .parsed import parts_of
from .program_text import Program
from .statements import mode_of
from .stored import Assigned
from .trail import STEPS, Trail

SHARED = "shared memory"  # the word for a cut that no text tells
End = int | tuple[int, int]  # as `Cut.target`


class Called(NamedTuple):
    """The call of a model."""

    text: str
    model: Any


class Source(NamedTuple):
    """What a value was cut off from, by which word and in which line."""

    word: str
    value: Any = None  # a tensor, or the call of a model
    line: Line = Line()
    later: Any = None  # the cut that the value goes through after this one: a Source


NOTHING = Source("")


def carries_history(value: Any) -> bool:
    return isinstance(value, Called) or value.requires_grad


def sources_of(trail: Trail, origin: Assigned, wanted: Callable[[Any], bool] = carries_history,
               outer: Source = NOTHING, steps: int = STEPS,
               seen: set[Any] | None = None) -> Iterator[Source]:
    """Yield the wanted tensors that went into an expression through a cut, each with its cut.

    `outer` is the cut that the value of the expression goes through later.
    """
    if origin.quiet:
        outer = Source(origin.quiet, None, _switch(trail, origin))
    seen = set() if seen is None else seen
    if (here := (id(origin.expression), outer.word, trail.calls)) in seen:
        return
    seen.add(here)
    alias = trail.program.aliases.get(id(origin.expression)) if outer.word else None
    if alias is not None and wanted(alias):  # its own variable has been bound anew
        yield outer._replace(value=alias)
        return
    if single := trail.element(origin):
        for inside, result in single:
            yield from sources_of(inside, result, wanted, outer, steps - 1, seen)
        return
    passed_on: set[int] = set()  # arguments of functions that were entered: these are followed
    for part, word in parts(origin.expression):
        if id(part) in passed_on:
            continue
        cut = Source(word, None, line_of(part), outer) if word else outer
        found = [value for value in _values(trail.program, part, wanted) if wanted(value)]
        if found and cut.word:
            yield from (cut._replace(value=value) for value in found)
        elif steps and isinstance(part, ast.Call):
            for inside in trail.entered(part):
                results = inside.program.results()
                if results and len(inside.given) == len(part.args) + len(part.keywords):
                    passed_on |= {id(one) for given in inside.given.values()
                                  for one in parts_of(given)}
                for result in results:
                    yield from sources_of(inside, result, wanted, cut, steps - 1, seen)
        elif steps and not found and isinstance(part, ast.Name):
            for other, earlier, through in trail.earlier(part):
                later = Source(through, None, line_of(part), cut) if through else cut
                yield from sources_of(other, earlier, wanted, later, steps - 1, seen)


def _switch(trail: Trail, origin: Assigned) -> Line:
    """Where recording is switched off around an expression: its own line, or a decorator's."""
    marks = trail.program.decorators if origin.quiet.startswith("@") else []
    return line_of(next((one for one in marks if mode_of([one])), origin.expression))


def _values(program: Program, part: ast.expr, wanted: Any) -> list[Any]:
    """The tensors of a name, or that loops give it; a call of a model that learns is its result."""
    if wanted is not carries_history and (looped := looped_tensors(part, program)):
        return looped
    if isinstance(part, ast.Call):
        return [Called(ast.unparse(part), model) for model in models_of(part, program)
                if any(one.requires_grad for _, one in members(model))]
    unsure = isinstance(part, ast.Name) and len(program._places(part.id)) > 1
    value: Any = None if unsure else program.value(part)
    values = value if type(value) in (list, tuple) else [value]
    return [one for one in values if is_tensor(one) and is_readable(one)]


class Cuts:
    """Collects the constants of a graph, then says which of them were cut off."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.program = Program(names.frame, names.reached)
        self.trail = Trail(self.program)
        self.tensors: dict[int, Any] = {}  # key of a constant -> the tensor
        # (operation, number of input) -> key of its constant
        self.places: dict[tuple[int, int], int] = {}

    def constant(self, tensor: Any, key: int | None, place: tuple[int, int] | None = None) -> None:
        if key is not None and not tensor.requires_grad:
            self.tensors[key] = tensor
            if place:
                self.places[place] = key

    def found(self, graph: Graph, source: Callable[[Any], Input],
              targets: Sequence[Any] = ()) -> list[Cut]:
        """Take a function that says where a tensor comes from, and what the graph is behind."""
        inline = self._expressions(graph)
        written = {self.places[place]: inline[place] for place in reversed(self.places)
                   if place in inline}
        claims: dict[End, list[Source]] = {}
        for key, tensor in self.tensors.items():
            claims[key] = self.cut_off(tensor,
                                       self._origin(self.names.of(tensor), written.get(key)))
        for place, expression in inline.items():
            op, nr = place
            if place not in self.places and graph.ops[op].inputs[nr].op is None:
                value = self.program.value(expression)
                if is_tensor(value) and isinstance(expression, ast.Name):
                    graph.ops[op].inputs[nr] = replace(graph.ops[op].inputs[nr], name=expression.id)
                claims[place] = self.cut_off(value, self._origin("", expression))
        on_the_way = {(one.word, _same(one.value)): one for target in targets
                      for one in self.behind(target)}
        for key, tensor in self.shared().items():
            if not claims.get(key):
                told = [one for one in on_the_way.values() if one.value is tensor]
                claims[key] = told[:1] or [Source(SHARED, tensor)]
        known = {_same(one.value) for found in claims.values() for one in found}
        for one in on_the_way.values():
            if _same(one.value) not in known and len(ends := self._ends(graph, claims)) == 1:
                claims.setdefault(ends.pop(), []).append(one)
        return [Cut(one.word, Input(None, constant=Tensor("interior", one.value.text))
                    if isinstance(one.value, Called) else source(one.value), target, one.line)
                for target, found in claims.items()
                for one in {(one.word, _same(one.value)): one for one in found}.values()]

    def behind(self, target: Any) -> list[Source]:
        """What the text says that a named result was cut off from."""
        name = self.names.of(target) if is_tensor(target) else ""
        known = name.isidentifier() and (
            self.program.held_once(name) or self.program.assigned(name))
        if not known:
            return []
        return list(sources_of(
            self.trail, Assigned(ast.Name(name, ast.Load()), ""),
            lambda value: value is not target and carries_history(value)))

    def shared(self) -> dict[int, Any]:
        """Key of a constant -> the tensor with a history whose memory it is in.

        Of a leaf only a constant without a name was cut off: the leaf may have been made from a
        variable.
        """
        named = self.names.tensors.items() if self.tensors else ()
        tracked = {place[0]: (name, one) for name, one in named if not is_written_view(one)
                   and one.requires_grad and (place := storage_of(one))}
        found = {}
        for key, constant in self.tensors.items() if tracked else ():
            place = storage_of(constant)
            _, one = tracked.get(place[0], ("", None)) if place else ("", None)
            if one is not None and (one.grad_fn is not None or not self.names.of(constant)):
                found[key] = one
        return found

    def _ends(self, graph: Graph, claims: dict[End, list[Source]]) -> set[End]:
        """The constants without a name and a source, at one of which a cut has to end."""
        root = graph.roots[0]
        if isinstance(root, Tensor):
            return {root.key} if root.key is not None else set()
        ends = {entry.constant.key if entry.constant else (at, nr)
                for at, op in enumerate(graph.ops[:root[0] + 1])
                for nr, entry in enumerate(op.inputs) if entry.op is None and not entry.name
                and not (entry.constant and entry.constant.name)
                and (entry.constant or entry.reason)
                and (entry.constant is None or entry.constant.key is not None)}
        return {end for end in ends if end is not None and not claims.get(end)}

    def _origin(self, name: str, expression: ast.expr | None) -> Assigned | None:
        """How a constant was made: the assignment of its variable, or the expression itself."""
        if expression is not None and not isinstance(expression, ast.Name):
            return Assigned(expression, "")
        if expression is not None and hasattr(expression, "parent"):  # as it was in that line
            return self.program.assigned(expression.id, expression)
        return self.program.assigned(expression.id if expression is not None else name)

    def cut_off(self, tensor: Any, origin: Assigned | None) -> list[Source]:
        """Every tensor that a constant was cut off from, as the text says."""
        kind = ""
        if is_tensor(tensor) and whole_number(tensor):
            kind = "booleans" if "bool" in str(tensor.dtype) else "integers"
        if origin is None:
            return []
        outer = Source(kind, None, line_of(origin.expression))
        return list(sources_of(self.trail, origin, outer=outer))

    def _expressions(self, graph: Graph) -> dict[tuple[int, int], ast.expr]:
        """The expression at each constant's place, where text and graph agree."""
        found: dict[tuple[int, int], ast.expr] = {}
        for at, op in enumerate(graph.ops):
            for tensor in op.outputs.values():
                origin = self.program.assigned(tensor.name) if tensor.name.isidentifier() else None
                if origin and origin.at is None and not origin.quiet:
                    self._match(graph, at, origin.expression, found)
        return found

    def _match(self, graph: Graph, at: int, expression: ast.expr, found: dict) -> None:
        op = graph.ops[at]
        found_in = operands(op, expression, self.program)
        for nr, (part, entry) in enumerate(zip(found_in, op.inputs)):
            if entry.op is None:
                found[at, nr] = part
            elif not isinstance(part, ast.Name) and not any(
                    tensor.name.isidentifier() for tensor in graph.ops[entry.op].outputs.values()):
                self._match(graph, entry.op, part, found)


def _same(value: Any) -> Any:
    """What two values that were cut off have in common if they are the same one."""
    return value.text if isinstance(value, Called) else id(value)
