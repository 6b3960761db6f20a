"""Which line of the program made a module, a parameter, an optimizer or another object."""
import ast
import re

from ..graph.modules import attributes
from ..program.lines import freezes
from ..program.places import Line, line_of, only_line
from .evidence import Case


def assignment(case: Case, kind: str | None, attribute: str) -> Line | None:
    """The line in which a class of the program assigns an attribute, if there is one alone."""
    return case.common.once(("assignment", kind, attribute), case.program, lambda: only_line(
        one for part in case.program.parts
        if isinstance(part, ast.ClassDef) and kind in (None, part.name)
        for one in ast.walk(part) if isinstance(one, ast.Assign)
        for target in one.targets for name in ast.walk(target)
        if isinstance(name, ast.Attribute) and isinstance(name.ctx, ast.Store)
        and name.attr == attribute))


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
        line = assignment(case, type(value).__name__, step) or line
        value = attributes(value).get(step, value.get(step) if type(value) is dict else None)
    return line


def freezing_line(case: Case) -> Line | None:
    """The only line that says `requires_grad = False` or `requires_grad_(False)`, or None."""
    return only_line(filter(freezes, case.program.parts))
