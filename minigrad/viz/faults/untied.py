"""For `why`: a weight that a class ties to another, and that a later line made anew."""
from __future__ import annotations

import ast
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor
from ..graph.modules import attributes, inner_modules
from ..program.lines import is_of_library
from ..program.names import as_code
from ..program.node_lines import line_of, only_line
from ..program.parsed import last_name
from ..program.ran import around
from .answer import Answer, place
from .evidence import Case
from .made import imported


def untied(case: Case) -> Answer | None:
    """Two parameters of which a line that has run gave one to the other, and that are two now.

    Only where one line alone may have made one of them anew, and doesn't copy the other.
    """
    _, model = case.common.model_of.get(id(case.tensor), ("", None))
    found = None if model is None else case.common.once("ties", model, lambda: _ties(
        case, model)).get(id(case.tensor))
    if found is None:
        return None
    tie, modules, other, text = found
    if other is case.tensor or tuple(other.shape) != tuple(case.tensor.shape):
        return None
    name = case.names.of(other)
    line = only_line(part for part in text if isinstance(part, ast.Assign)
                     and _makes(part, tie, modules))
    if line is None or not name or any(  # a layer that was replaced as a whole
            len({line_of(part) for part in text if isinstance(part, ast.Attribute)
                 and isinstance(part.ctx, ast.Store) and part.attr == last}) != 1
            for last in (_owner(tie.targets[0]), _owner(tie.value))):
        return None
    code = f"{case.code} = {as_code(name)}"
    return Answer("untied",
                  f"{case.name} and {name} are two parameters, though {type(model).__name__} ties "
                  f"them{place(line_of(tie))}: another line{place(line)} made one of them anew.",
                  [Fix(f"Write into the weight in place there, or tie them after it: `{code}`, "
                       "before the line that makes the optimizer.",
                       "both layers train one weight, as the tied ones were to do")],
                  [case.tensor], line=line)


def _ties(case: Case, model: Any) -> dict[int, Any]:
    """By the id of a parameter: (the line that ties it, both modules, the other one, the text)."""
    found = {}
    for module in inner_modules(model).values():
        if is_of_library(kind := type(module)):
            continue
        text = list({id(part): part for part in case.program.parts + imported(kind)}.values())
        makers = [one for part in text if isinstance(part, ast.ClassDef)
                  and part.name == kind.__name__ for one in part.body
                  if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
        for tie in ast.walk(makers[0]) if len(makers) == 1 else ():
            if isinstance(tie, ast.Assign) and len(tie.targets) == 1 and isinstance(
                    tie.value, ast.Attribute) and isinstance(tie.targets[0], ast.Attribute) and (
                    _has_run(tie, makers[0], module, text, kind)):
                left, right = _held(tie.targets[0].value, module), _held(tie.value.value, module)
                own, other = (_held(one, module) for one in (tie.targets[0], tie.value))
                if is_tensor(own) and is_tensor(other) and left is not right:
                    found[id(own)] = tie, (left, right), other, text
    return found


def _held(part: ast.expr, module: Any) -> Any:
    """What `self.a.b` is for a module; no property is run."""
    if isinstance(part, ast.Name):
        return module if part.id == "self" else None
    return attributes(_held(part.value, module)).get(part.attr) if isinstance(
        part, ast.Attribute) else None


def _owner(part: Any) -> str:
    return last_name(part.value)


def _has_run(tie: ast.Assign, maker: ast.FunctionDef, module: Any, text: list[ast.AST],
             kind: type) -> bool:
    """Whether a line of __init__ has run: each test around it is true of `self`, or by default."""
    given = maker.args.args
    defaults = dict(zip([one.arg for one in given[::-1]], maker.args.defaults[::-1]))
    calls = [part for part in text if isinstance(part, ast.Call)
             and last_name(part.func) == kind.__name__]
    for inner, outer in around(tie):
        if isinstance(outer, ast.If) and inner in outer.body:
            name = getattr(outer.test, "id", "")
            if name in defaults:
                at = [one.arg for one in given].index(name)
                if getattr(defaults[name], "value", None) is not True or not calls or any(
                        len(call.args) >= at or ast.Starred in map(type, call.args) or any(
                            one.arg in (name, None) for one in call.keywords) for call in calls):
                    return False
            elif _held(outer.test, module) is not True:
                return False
        elif not isinstance(outer, (ast.FunctionDef, ast.With)):
            return False
    return True


def _makes(part: ast.Assign, tie: ast.Assign, modules: tuple[Any, Any]) -> bool:
    """Whether a line gives a new parameter to one of the two layers, and no copy of the other's."""
    target = part.targets[0]
    names = {_owner(tie.targets[0]), _owner(tie.value)}
    attribute = getattr(tie.targets[0], "attr", "")
    if not isinstance(target, ast.Attribute) or target.attr != attribute or not isinstance(
            part.value, ast.Call) or last_name(part.value.func) != "Parameter" or any(
            getattr(one, "attr", "") in names for one in ast.walk(part.value)):
        return False
    kinds = {type(one).__name__ for one in modules}
    tested = {last_name(one) for _, outer in around(part) if isinstance(outer, ast.If)
              for one in ast.walk(outer.test) if isinstance(one, (ast.Name, ast.Attribute))}
    return last_name(target.value) in names or isinstance(target.value, ast.Name) and bool(
        kinds & tested)
