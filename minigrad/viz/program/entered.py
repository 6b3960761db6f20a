"""Which functions of the program a call runs, as far as its text and its variables tell.

Nothing is called. A call of a function, a method or a model runs the text of that; a container of
a library runs the models in it; and a function that is handed to a library's, as to `checkpoint`,
runs with the arguments that follow it.
"""
from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Sequence
from contextlib import suppress
from types import CodeType, FunctionType, MethodType
from typing import Any

from ..graph.facts import is_readable, is_tensor
from ..graph.modules import is_model, members
from .parsed import parts_of
from .program_text import Entered, Program
from .ran import around


def functions_of(call: ast.Call, program: Program) -> Iterator[tuple[Entered, dict[str, ast.expr]]]:
    """The functions of the program that a call runs, with what their parameters were given."""
    seen: set[CodeType] = set()
    for function, model, args, keywords in _run_by(call, program):
        if function.__code__ not in seen:  # the text of a class is read once
            seen.add(function.__code__)
            yield _entered(function, model, args, keywords, program)


def models_of(call: ast.Call, program: Program) -> list[Any]:
    """The models that a call runs: what is called, or what a library's function is given."""
    found = held_values(call.func, program)
    if call.args and any(isinstance(one, FunctionType) and is_library(one) for one in found):
        found = held_values(call.args[0], program)
    return [one for one in found if is_model(one)]


def _run_by(call: ast.Call, program: Program) -> Iterator[tuple[FunctionType, Any, Any, Any]]:
    """(function, the object that it is a method of, arguments, keywords) for each of them."""
    values = held_values(call.func, program)
    for value in values:
        for function, model in _functions(value):
            if not is_library(function):
                yield function, model, call.args, call.keywords
            elif model is None and call.args:
                for inner, owner in handed_over(call.args[0], program):
                    yield inner, owner, call.args[1:], []
    if not values and isinstance(call.func, ast.Attribute):
        for owner in held_values(call.func.value, program):
            method = inspect.getattr_static(type(owner), call.func.attr, None)
            if isinstance(method, FunctionType) and not is_library(inspect.unwrap(method)):
                yield inspect.unwrap(method), owner, call.args, call.keywords


def held_values(part: ast.expr, program: Program) -> list[Any]:
    """What a name or a path refers to; a loop's variable refers to each of its models."""
    value = program.held(part)
    if value is not None or not isinstance(part, ast.Name):
        return [value] if value is not None else []
    return [one for rows in program.statements[:1] for statement, _, _ in rows
            if isinstance(statement, ast.For)
            for target, over in pairs(statement.target, statement.iter)
            if isinstance(target, ast.Name) and target.id == part.id
            for one in _items(program.held(over))]


def _items(value: Any) -> list[Any]:
    """The models in a list, or in a container such as ModuleList, none of whose code is run."""
    if isinstance(value, (list, tuple)):
        return [one for one in value if is_model(one)]
    own = getattr(value, "__dict__", {}).get("_modules")
    return list(own.values()) if isinstance(own, dict) else []


def _functions(value: Any) -> Iterator[tuple[FunctionType, Any]]:
    """(function, the object that it is a method of) for what a call of a value runs."""
    value = value.__func__ if isinstance(value, staticmethod) else value
    if isinstance(value, FunctionType):
        yield inspect.unwrap(value), None
    elif isinstance(value, MethodType) and isinstance(value.__func__, FunctionType):
        yield inspect.unwrap(value.__func__), value.__self__
    elif not isinstance(value, type):
        forward = inspect.getattr_static(type(value), "forward" if is_model(value) else "__call__",
                                         None)
        if isinstance(forward, FunctionType) and not is_library(inspect.unwrap(forward)):
            yield inspect.unwrap(forward), value
        elif is_model(value):  # a container of a library runs what is in it
            for inner in _items(value):
                yield from _functions(inner)


def is_library(function: FunctionType) -> bool:
    home = str(function.__globals__.get("__name__", "")).partition(".")[0]
    return home in (__name__.partition(".")[0], "torch")


def handed_over(part: ast.expr, program: Program) -> Iterator[tuple[FunctionType, Any]]:
    """The function of the program that an argument names, or that is a model or a lambda."""
    if isinstance(part, ast.Lambda) and program.frame is not None:
        codes = [code for code in program.frame.f_code.co_consts if isinstance(code, CodeType)
                 and code.co_name == "<lambda>" and code.co_firstlineno == part.lineno]
        if len(codes) == 1 and not codes[0].co_freevars:
            yield FunctionType(codes[0], program.frame.f_globals), None
        elif len(codes) == 1:
            yield _closed(codes[0], program), None
    for value in held_values(part, program):
        yield from (row for row in _functions(value) if not is_library(row[0]))


def _closed(code: CodeType, program: Program) -> FunctionType:
    """A function that is never called, with the known variables around a lambda."""
    cells = tuple(_cell(program.held(ast.Name(name, ast.Load()))) for name in code.co_freevars)
    return FunctionType(code, program.frame.f_globals if program.frame else {}, closure=cells)


def _cell(value: Any) -> Any:
    return (lambda: value).__closure__[0]  # type: ignore[index]


def _entered(function: FunctionType, model: Any, args: Sequence[ast.expr],
             keywords: Sequence[ast.keyword],
             program: Program) -> tuple[Entered, dict[str, ast.expr]]:
    code = function.__code__
    names = code.co_varnames[model is not None:code.co_argcount]
    own: dict[str, Any] = dict.fromkeys(code.co_varnames + code.co_freevars)
    with suppress(ValueError):  # a variable around the function may have no value yet
        cells = zip(code.co_freevars, function.__closure__ or ())
        own.update({name: cell.cell_contents for name, cell in cells})
    given = {**dict(zip(names, args)), **{one.arg: one.value for one in keywords if one.arg}}
    for name, part in given.items():  # models and objects are the same ones inside
        value = program.held(part)
        own[name] = None if is_tensor(value) else value
    if model is not None:
        own[code.co_varnames[0]] = model
    return Entered(code, function.__globals__, own), given


def pairs(target: ast.expr, part: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """(variable, what it runs over) of a loop, also of one over zip() or enumerate()."""
    targets = target.elts if isinstance(target, ast.Tuple) else [target]
    name = getattr(part.func, "id", "") if isinstance(part, ast.Call) else ""
    if name == "zip" and isinstance(part, ast.Call):
        for one, its in zip(targets, part.args):
            yield from pairs(one, its)
    elif name == "enumerate" and isinstance(part, ast.Call) and part.args:
        yield from pairs(targets[-1], part.args[0])
    else:
        yield targets[-1], part  # of named_parameters() the second is the parameter


def looped_tensors(part: ast.expr, program: Program) -> list[Any]:
    """The tensors that loops around a variable give to it, or those of `net.parameters()`."""
    name = ast.unparse(part)
    overs = [over for _, loop in around(part) if isinstance(loop, ast.For)
             for target, over in pairs(loop.target, loop.iter) if ast.unparse(target) == name]
    calls = [part, *(one for over in overs for one in parts_of(over))]
    models = [program.held(call.func.value) for call in calls
              if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
              and call.func.attr.endswith("parameters")]
    lists = [value for over in overs if isinstance(value := program.held(over), (list, tuple))]
    return [one for model in models for _, one in members(model)] + [
        one for value in lists for one in value if is_tensor(one) and is_readable(one)]
