"""Follows a value back through the program's text, to the cuts on its way.

`loss = decode(z)` and `z = encode(data).detach()`: the value went through `detach()`, in that line.
Variables that were assigned in one place are followed, and functions and models of the program are
entered. Nothing is called.
"""
from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ..graph.facts import can_be_read, is_tensor, is_written_view
from ..graph.modules import members
from .entered import functions_of, models_of
from .lines import targets_of
from .parsed import last_name
from .places import Line, line_of
from .ran import has_run, may_have_run, statement_of
from .source import Assigned, Program
from .statements import mode_of, walked

SCISSORS = {"detach": "detach()", "detach_": "detach_()", "item": ".item()", "tolist": ".tolist()",
            "numpy": ".numpy()"}  # methods that hand out the value alone
COPIES = {"tensor": "torch.tensor()", "as_tensor": "torch.as_tensor()", "float": "float()",
          "int": "int()", "from_numpy": "from_numpy()"}  # functions that do
WHOLE = ("argmax", "argmin", "argsort", "long", "nonzero", "multinomial")  # methods and functions
COMPARISONS = ("eq", "ne", "gt", "lt", "ge", "le")
APART = ("shape", "size", "dim", "ndim", "numel", "dtype", "device", "stride", "len", "type",
         "isinstance",
         # none of its values
         "grad", "grad_fn", "zeros", "ones", "empty", "eye", "rand", "randn", "arange")
STEPS = 12  # through how many assignments and functions a value is followed


class Called(NamedTuple):
    """The call of a model."""

    text: str
    model: Any


class Source(NamedTuple):
    """What a value was cut off from, by which word and in which line."""

    word: str
    value: Any = None  # a tensor, or the call of a model
    line: Line = Line()


NOTHING = Source("")


class Trail:
    """The text around a frame; inside a function, also what its call gave for the parameters."""

    def __init__(self, program: Program, given: dict[str, ast.expr] | None = None,
                 caller: Trail | None = None) -> None:
        self.program, self.given, self.caller = program, given or {}, caller
        self.calls: tuple[int, ...] = ()  # the calls that led here

    def followed(self, origin: Assigned, wanted: Callable[[Any], bool], outer: Source = NOTHING,
                 steps: int = STEPS, seen: set[Any] | None = None) -> Iterator[Source]:
        """Return the wanted tensors that went into an expression through a cut, each with its cut.

        `outer` is the cut that the value of the expression goes through later.
        """
        if origin.quiet:
            outer = Source(origin.quiet, None, self._switch(origin))
        seen = set() if seen is None else seen
        if (here := (id(origin.expression), outer.word, self.calls)) in seen:
            return
        seen.add(here)
        if single := self._element(origin):
            for inside, result in single:
                yield from inside.followed(result, wanted, outer, steps - 1, seen)
            return
        # arguments of functions that were entered: the parameters are followed
        passed_on: set[int] = set()
        for part, word in parts(origin.expression):
            if id(part) in passed_on:
                continue
            cut = Source(word, None, line_of(part)) if word else outer
            found = [value for value in self._values(part) if wanted(value)]
            if found and cut.word:
                yield from (cut._replace(value=value) for value in found)
            elif steps and isinstance(part, ast.Call):
                for inside in self._entered(part):
                    results = inside.program.results()
                    if results and len(inside.given) == len(part.args) + len(part.keywords):
                        passed_on |= {id(one) for given in inside.given.values()
                                      for one in ast.walk(given)}
                    for result in results:
                        yield from inside.followed(result, wanted, cut, steps - 1, seen)
            elif steps and not found and isinstance(part, ast.Name):
                for earlier in self._origins(part):
                    yield from self.followed(earlier, wanted, cut, steps - 1, seen)
                for written, through in self._writes(part):
                    later = Source(through, None, line_of(part)) if through else cut
                    yield from self.followed(written, wanted, later, steps - 1, seen)
                if self.caller and part.id in self.given and self._is_given(part):
                    given = Assigned(self.given[part.id], "")
                    yield from self.caller.followed(given, wanted, cut, steps - 1, seen)

    def _element(self, origin: Assigned) -> list[tuple[Trail, Assigned]]:
        """What functions return for one of several variables, where they return a tuple of them."""
        at, call = origin.at, origin.expression
        found = [(inside, one) for inside in (self._entered(call) if at is not None and isinstance(
            call, ast.Call) else ()) for one in inside.program.results()]
        tuples = [(inside, one, one.expression.elts) for inside, one in found
                  if isinstance(one.expression, ast.Tuple)]
        if at is None or len(tuples) < len(found) or any(at >= len(elts) for *_, elts in tuples):
            return []
        return [(inside, Assigned(elts[at], one.quiet)) for inside, one, elts in tuples]

    def _writes(self, use: ast.Name) -> Iterator[tuple[Assigned, str]]:
        """What was written in place to a variable, with `.data` where it went through that."""
        mode = self.program.scopes[0][1] if self.program.scopes else ""
        for statement, inner, _ in walked(self.program.body, mode):
            if hasattr(statement, "body") or isinstance(statement, ast.AugAssign):
                continue
            for target in targets_of(statement):
                through = ".data" if getattr(target, "attr", "") == "data" else ""
                owner = getattr(target, "value", None) if through else target
                if isinstance(owner, ast.Name) and owner.id == use.id and has_run(
                        self.program, statement):
                    value = getattr(statement, "value", None)
                    values = getattr(value, "args", [value])
                    yield from ((Assigned(one, inner), through) for one in values)

    def behind(self, origin: Assigned, steps: int = STEPS) -> Iterator[Assigned]:
        """What the variables in an expression were assigned, and so on, in the same function."""
        yield origin
        for part in ast.walk(origin.expression) if steps else ():
            if isinstance(part, ast.Name):
                for earlier in self._origins(part):
                    yield from self.behind(earlier, steps - 1)

    def _switch(self, origin: Assigned) -> Line:
        """Where recording is switched off around an expression: its own line, or a decorator's."""
        marks = self.program.decorators if origin.quiet.startswith("@") else []
        return line_of(next((one for one in marks if mode_of([one])), origin.expression))

    def _values(self, part: ast.expr) -> list[Any]:
        """The tensors of a name; the call of a model that learns counts as its result."""
        if isinstance(part, ast.Call):
            return [Called(ast.unparse(part), model) for model in models_of(part, self.program)
                    if any(one.requires_grad for _, one in members(model))]
        if isinstance(part, ast.Name) and len(self.program._places(part.id)) > 1:
            return []
        value = self.program.value(part)
        values = value if type(value) in (list, tuple) else [value]
        return [one for one in values if is_tensor(one)
                and can_be_read(one, not is_written_view(one))]

    def _is_given(self, use: ast.Name) -> bool:
        """Whether a parameter may still have the value that the call gave for it."""
        lines = [statement_of(one.expression) for one in self.program._places(use.id) if one]
        now = statement_of(use)
        return not any(getattr(one, "end_lineno", 0) < getattr(now, "lineno", 0)
                       and has_run(self.program, one) for one in lines)

    def _origins(self, use: ast.Name) -> Iterator[Assigned]:
        name, within = use.id, use if hasattr(use, "parent") else None
        if origin := self.program.assigned(name, within):
            yield origin
            if isinstance(origin.expression, ast.List):
                for call, _ in self.program.calls():
                    if ast.unparse(call.func) == f"{name}.append" and call.args and (
                            may_have_run(self.program, call)):
                        yield Assigned(call.args[0], "")
        elif sums := self.program.added(name):
            yield from sums
        else:  # several that have all run, such as one before a loop and one in it
            found = self.program._places(name)[self.program.is_given(name):]
            known = [one for one in found if one and has_run(self.program, one.expression)]
            yield from known if len(known) == len(found) else []

    def _entered(self, call: ast.Call) -> list[Trail]:
        """Inside the functions of the program that a call runs; none where a library defines it."""
        found = [Trail(Program(entered), given, self)
                 for entered, given in functions_of(call, self.program)]
        for one in found:
            one.calls = (*self.calls, id(call))
        return found

    def reached(self, starts: Iterable[Assigned]) -> Iterator[tuple[Trail, str, Assigned]]:
        """What the text says a value was computed from: each with the variable it was assigned to.

        Functions are entered, and every place that may have given a variable its value counts.
        """
        line, seen = [(self, "", start) for start in starts], set()
        while line:
            trail, name, origin = line.pop(0)
            yield trail, name, origin
            for part in ast.walk(origin.expression):
                called = isinstance(part, ast.Call)
                name = "return" if called else getattr(part, "id", "")
                trails = trail._entered(part) if isinstance(part, ast.Call) else [trail]
                for inside in trails if name else ():
                    code = getattr(inside.program.frame, "f_code", None)
                    if (code, name) not in seen:
                        seen.add((code, name))
                        line += [(inside, name, one) for one in inside.program._places(name) if one]
                        if not called and inside.caller and name in inside.given:
                            line.append((inside.caller, name, Assigned(inside.given[name], "")))


def parts(part: ast.AST, word: str = "") -> Iterator[tuple[ast.expr, str]]:
    """The names and calls whose values go into an expression, each with its first cut."""
    if isinstance(part, (ast.Name, ast.Attribute)):
        if isinstance(part, ast.Attribute):
            if part.attr in APART:
                return
            word = ".data" if part.attr == "data" else word
        yield part, word
    elif isinstance(part, ast.Compare):
        word = "booleans"
    elif isinstance(part, ast.Call):
        function = part.func
        name = last_name(function)
        if name in APART or name.endswith("_like") or name.startswith("new_"):
            return
        method = isinstance(function, ast.Attribute)
        if name in WHOLE or method and name in ("int", "bool"):
            word = "integers"
        elif method and name in COMPARISONS:
            word = "booleans"
        elif method and name in SCISSORS and not part.args:
            word = SCISSORS[name]
        elif name in COPIES and part.args:
            word = COPIES[name]
        yield part, word
    elif isinstance(part, (ast.ListComp, ast.GeneratorExp)):  # the names inside are its own
        inside = next((cut for _, cut in parts(part.elt, word)), word)
        for loop in part.generators:
            yield from parts(loop.iter, inside)
        return
    for child in ast.iter_child_nodes(part):
        yield from parts(child, word)
