"""Which line of the program made a module, a parameter, an optimizer or another object."""
from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from ..drawing.explanation import Fix
from ..graph.modules import attributes, inner_modules, is_model, members
from ..program.given import held_by
from ..program.lines import freezes, is_of_library, statement_at
from ..program.names import inside
from ..program.node_lines import Line, line_of, only_line
from ..program.parsed import parts_of, text_of_cell
from ..program.ran import has_run
from .answer import place
from .evidence import Case


def assignment(case: Case, kind: type | None, attribute: str) -> Line | None:
    """The one line in which a class, which may be imported, assigns an attribute."""
    if not attribute.isidentifier():  # the place of a module in a list
        return None
    return case.common.once(("assignment", kind, attribute), case.program, lambda: only_line(
        one for part in case.program.parts + imported(kind)
        if isinstance(part, ast.ClassDef) and (kind is None or kind.__name__ == part.name)
        for one in ast.walk(part) if isinstance(one, ast.Assign)
        for target in one.targets for name in ast.walk(target)
        if isinstance(name, ast.Attribute) and isinstance(name.ctx, ast.Store)
        and name.attr == attribute))


def imported(kind: type | None) -> list[ast.AST]:
    """The text of the file that a class outside of the libraries comes from."""
    made = getattr(vars(kind or object).get("__init__"), "__code__", None)
    if made is None or kind is None or is_of_library(kind):
        return []
    tree = text_of_cell(made.co_filename)
    return parts_of(tree) if tree is not None else []


def assigned_line(case: Case, name: str) -> Line | None:
    """The line that assigns a variable, or an attribute such as `self.optimizer`."""
    if "." in name:  # an attribute, which a class of the program assigns
        return assignment(case, None, name.rpartition(".")[2])
    origin = case.program.assigned(name)
    return line_of(origin.expression) if origin else None


def line_of_path(case: Case, path: str) -> Line | None:
    """The line that made what a name such as `agent.net.layers.0.weight` refers to.

    It is the innermost that is known: where a class of the program assigns one of the attributes on
    the way, or where the variable is assigned.
    """
    root, *steps = re.findall(r"[^.\[\]'\"]+", path) or [""]
    value = case.program.held(ast.Name(root, ast.Load()))
    line = assigned_line(case, root)
    for step in steps:
        line = assignment(case, type(value), step) or line
        value = attributes(value).get(step, value.get(step) if type(value) is dict else None)
    return line


def made_line(case: Case) -> Line | None:
    """The line that made the tensor or its module: it calls something, and nothing that it names
    holds the tensor already, as in `model = model.cuda()`.
    """
    line, root = line_of_path(case, case.name), re.split(r"[.\[]", case.name)[0]
    value = None if not line else getattr(case.common.once(
        ("statement", line), case.program, lambda: statement_at(line.filename, line.line)),
        "value", None)
    in_module = isinstance(case.program.held(ast.Name(root, ast.Load())), ModuleType)
    parts = [] if value is None or in_module else [
        part for part in ast.walk(value) if isinstance(part, ast.expr)]
    held = [one for part in parts for _, one in inside(case.program.held(part))]
    there = any(one is case.tensor or is_model(one) and case.common.holds(one, case.tensor)
                for one in held)
    return None if there or not any(isinstance(part, ast.Call) for part in parts) else line


def in_code(case: Case, fixes: Sequence[Fix]) -> Sequence[Fix]:
    """Fixes whose code has a variable where no variable here holds what is named, as "Linear'"."""
    for name, one in [*case.names.models, *case.training.optimizers] if fixes else ():
        kind = type(one).__name__
        if name.rstrip("'") == kind and case.program.held(ast.Name(name, ast.Load())) is not one:
            word = case.common.unused(f"{kind.lower()}{len(name) - len(kind) or ''}")
            code = re.compile(rf"(?<![\w.]){re.escape(name)}(?![\w'(])"
                              "(?=[^`]*`([^`]*`[^`]*`)*[^`]*$)")  # an odd number of ` follows
            fixes = [fix._replace(words=f"{words} `{word}` is {name}.") if (
                words := code.sub(word, fix.words)) != fix.words else fix for fix in fixes]
    return fixes


def made_in_forward(case: Case) -> ast.Assign | None:
    """The line of a forward() that makes the module of a parameter in each call, or None."""
    _, model = case.common.model_of.get(id(case.tensor), ("", None))
    parts = inner_modules(model) if model is not None else {}
    for inner, module in parts.items():
        owner, _, attribute = inner.rpartition(".")
        if not inner or all(one is not case.tensor for _, one in members(module)):
            continue
        for part in case.program.parts:
            if isinstance(part, ast.ClassDef) and part.name == type(parts.get(owner)).__name__:
                for line in (line for one in part.body if isinstance(one, ast.FunctionDef)
                             and one.name == "forward" for line in one.body):
                    if isinstance(line, ast.Assign) and isinstance(line.value, ast.Call) and any(
                            getattr(target, "attr", "") == attribute for target in line.targets):
                        return line
    return None


def freezing_line(case: Case) -> Line | None:
    """The only line that says `requires_grad = False` or `requires_grad_(False)`, or None."""
    return only_line(filter(freezes, case.program.parts))


def replaced(case: Case, name: str, optimizer: Any, made: Line | None) -> tuple[str, Line | None]:
    """A sentence about an empty group of an optimizer, or about the line that replaced a tensor, or
    its layer, after it was made.
    """
    for at, group in enumerate(getattr(optimizer, "param_groups", ())):
        if not group["params"]:
            return (f" Group {at} of {name} holds no tensor, as where an iterator had come to its "
                    "end before."), None
    lines = [line_of(part) for part in case.program.parts if isinstance(part, ast.Assign)
             and has_run(case.program, part) and any(
                 f"{case.code}.".startswith(f"{ast.unparse(target)}.") for target in part.targets
                 if not isinstance(target, ast.Name))]
    later = [one for one in lines if made and one.filename == made.filename and one > made]
    held = held_by(optimizer) if later and optimizer is not None else []
    if not (lost := sum(not case.names.of(one) for one in held)):
        return "", None
    return (f" {name} was made before {case.name}{place(later[-1])}, and holds {lost} "
            f"tensor{'s' * (lost > 1)} that no variable here leads to any more."), later[-1]
