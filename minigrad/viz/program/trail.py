"""Follows a value back through the program's text, to the cuts on its way.

`loss = decode(z)` and `z = encode(data).detach()`: the value went through `detach()`, in that line.
Variables that were assigned in one place are followed, and functions and models of the program are
entered. Nothing is called.
"""
from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import FunctionType
from typing import Any, NamedTuple

from ..graph.facts import can_be_read, is_tensor, is_written_view
from ..graph.modules import members
from .places import Line, line_of
from .ran import may_have_run
from .source import Assigned, Entered, Program

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
STEPS = 6  # through how many assignments and functions a value is followed


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

    def followed(self, origin: Assigned, wanted: Callable[[Any], bool], outer: Source = NOTHING,
                 steps: int = STEPS) -> Iterator[Source]:
        """The wanted tensors that went into an expression through a cut, each with the first cut on
        its way.

        `outer` is the cut that the value of the expression goes through later.
        """
        if origin.quiet:
            outer = Source(origin.quiet, None, line_of(origin.expression))
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
                if inside := self._entered(part):
                    results = inside.program.results()
                    if results and len(inside.given) == len(part.args) + len(part.keywords):
                        passed_on |= {id(one) for given in inside.given.values()
                                      for one in ast.walk(given)}
                    for result in results:
                        yield from inside.followed(result, wanted, cut, steps - 1)
            elif steps and not found and isinstance(part, ast.Name):
                for earlier in self._origins(part):
                    yield from self.followed(earlier, wanted, cut, steps - 1)
                if self.caller and self.program._places(part.id) == [None] and part.id in self.given:
                    given = Assigned(self.given[part.id], "")
                    yield from self.caller.followed(given, wanted, cut, steps - 1)

    def behind(self, origin: Assigned, steps: int = STEPS) -> Iterator[Assigned]:
        """What the variables in an expression were assigned, and so on, without entering functions."""
        yield origin
        for part in ast.walk(origin.expression) if steps else ():
            if isinstance(part, ast.Name):
                for earlier in self._origins(part):
                    yield from self.behind(earlier, steps - 1)

    def _values(self, part: ast.expr) -> list[Any]:
        """The tensors that a name refers to; the call of a model that learns counts as its result."""
        if isinstance(part, ast.Call):
            called = Called(ast.unparse(part), self.program.held(part.func))
            return [called] * any(one.requires_grad for _, one in members(called.model))
        if isinstance(part, ast.Name) and len(self.program._places(part.id)) > 1:
            return []
        value = self.program.value(part)
        values = value if type(value) in (list, tuple) else [value]
        return [one for one in values if is_tensor(one)
                and can_be_read(one, not is_written_view(one))]

    def _origins(self, use: ast.Name) -> Iterator[Assigned]:
        name, within = use.id, use if hasattr(use, "parent") else None
        if origin := self.program.assigned(name, within):
            yield origin
            if isinstance(origin.expression, ast.List):
                for call, _ in self.program.calls():
                    if ast.unparse(call.func) == f"{name}.append" and call.args and (
                            may_have_run(self.program, call)):
                        yield Assigned(call.args[0], "")
        else:
            yield from self.program.added(name)

    def _entered(self, call: ast.Call) -> Trail | None:
        """Inside a function of the program, or a method of its objects; None for what a library defines."""
        function, model = self.program.held(call.func), None
        if not isinstance(function, FunctionType):
            model, name = function, "forward"
            if model is None and isinstance(call.func, ast.Attribute):
                model, name = self.program.held(call.func.value), call.func.attr
            function = inspect.getattr_static(type(model), name, None)
        if not isinstance(function, FunctionType):
            return None
        function = inspect.unwrap(function)
        home = str(function.__globals__.get("__name__", "")).partition(".")[0]
        if home in (__name__.partition(".")[0], "torch"):
            return None
        code = function.__code__
        names = code.co_varnames[model is not None:code.co_argcount]
        own = dict.fromkeys(code.co_varnames + code.co_freevars)
        with suppress(ValueError):  # a variable around the function may have no value yet
            own.update(inspect.getclosurevars(function).nonlocals)
        if model is not None:
            own[code.co_varnames[0]] = model
        given = {**dict(zip(names, call.args)),
                 **{one.arg: one.value for one in call.keywords if one.arg}}
        return Trail(Program(Entered(code, function.__globals__, own)), given, self)


def parts(part: ast.AST, word: str = "") -> Iterator[tuple[ast.expr, str]]:
    """The names and calls whose values go into an expression, each with the first cut on its way."""
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
        name = getattr(function, "attr", getattr(function, "id", ""))
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
