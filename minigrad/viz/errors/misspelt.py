"""Causes in the words of a line: a name without a value, an attribute or a keyword that is
misspelt.

These are the commonest errors of a notebook. A restart forgets every variable, a cell that was
skipped or stopped has made none, and a typo names something else.
"""
from __future__ import annotations

import ast
import builtins
import inspect
import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor
from ..program.lines import stored_in
from ..program.parsed import text_of_cell
from ..program.where_it_runs import cell_numbers, in_notebook
from .scene import Scene
from .table import Told, cause

CAUSES = ("a name without a value", "a name that an object lacks",
          "a keyword that a function lacks")
NUMBERED = re.compile(r"_?\d+\w?$")     # what tells answer_6b and answer_6c apart
OLD = {"retain_variables": "retain_graph"}     # names of PyTorch 0.1
KEYWORDS = ("requires_grad", "dtype", "device", "retain_graph", "create_graph", "gradient",
            "inputs", "dim", "keepdim", "lr", "momentum", "weight_decay", "set_to_none")


@cause(CAUSES[0], r"^(?:name|cannot access local variable|free variable) '(\w+)'")
def undefined(scene: Scene, match: Any) -> Told:
    name = match[1]
    happened = f"{scene.here} uses `{name}`, and no variable has this name now."
    frame = scene.frame
    known = {*scene.program.variables, *frame.f_globals,
             *vars(builtins)} if frame is not None else set()
    cell = cell_that_makes(name, scene)
    near = None if cell else nearest(name, known)
    if near and NUMBERED.sub("", near) != NUMBERED.sub("", name):
        return Told([happened, f"The nearest name that exists is `{near}`."],
                    [Fix(f"Write `{near}`.", "none, if that is what you mean")], show=[])
    if cell:
        return Told([happened,
                     f"Cell {cell} has a line that makes it: the cell stopped before that line, or "
                               "the name was deleted afterwards."],
                    [Fix(f"Look at the error below cell {cell}, and run that cell again.",
                         "what the cell does is done once more")], show=[])
    if in_notebook():
        return Told([happened,
                     "No cell that has run since the kernel started gives it a value; a restart of "
                               "the kernel forgets all variables."],
                    [Fix("Run the cell that makes it. In JupyterLab, Run > Run All Above Selected "
                         "Cell runs "
                         "every cell above this one.", "the cells above run once more")], show=[])
    return Told([happened, "A variable exists from the moment when a line gives it a value."],
                [Fix(f"Give `{name}` a value before this line, or correct its spelling.", "none")],
                show=[])


@cause(CAUSES[1],
       r"^'(?:Tensor|Parameter)' object has no attribute '(\w+)'",
       r"^module 'torch[\w.]*' has no attribute '(\w+)'",
       r"^minigrad[\w.]* has no '(\w+)'")
def misspelt(scene: Scene, match: Any) -> Told:
    name = match[1]
    owners = [(node.value, scene.program.held(node.value))
              for node in ast.walk(scene.statement or ast.Pass())
              if isinstance(node, ast.Attribute) and node.attr == name]
    part, owner = next(((part, value) for part, value in owners if value is not None), (None, None))
    text = ast.unparse(part) if part is not None else ""
    happened = f"{scene.here} asks for `.{name}`" + (f" of {text}, which has no such attribute."
                                                     if text
                                                    else ", and there is no such attribute.")
    tensors = [owner] if is_tensor(owner) else []
    outside = re.search(r"^minigrad.*vocabulary[.]md(?:[.] For .+, write: (.+))?$", scene.message)
    if outside:     # PyTorch has the name: a near one would mean something else
        fix = f"Write `{outside[1]}`." if outside[1] else "Look at docs/vocabulary.md."
        return Told([happened, "minigrad covers what the book needs."], [Fix(fix, "none")], show=[])
    near = nearest(name, dir(owner)) if owner is not None else None
    if near is None:
        return Told([happened, "No attribute has a similar name."],
                    [Fix(f"Look at the names that there are: type `{text or 'x'}.` and press Tab.",
                         "none")],
                    tensors, show=tensors)
    return Told([happened, f"The nearest name that it has is `{near}`."],
                [Fix(f"Write `{text}.{near}`.", "none, if that is what you mean")],
                tensors, show=tensors)


@cause(CAUSES[2],
       r"^(?:[\w.]+\.)??(\w+?)(?:\.__init__)?\(\) got an unexpected keyword argument '(\w+)'",
       r"^minigrad's (\w+)\(\) has no '(out)'")
def unknown_keyword(scene: Scene, match: Any) -> Told:
    function, keyword = match[1], match[2]
    called = [scene.program.held(call.func) for call in scene.calls_of(function)]
    known = {*KEYWORDS, *(one for value in called for one in parameters(value))}
    near = OLD.get(keyword) or nearest(keyword, known)
    happened = f"{scene.here} gives {function}() the argument `{keyword}=`, which it doesn't take."
    if keyword == "out":
        return Told([happened, "It returns a new tensor."],
                    [Fix(f"Assign the result: `out = {function}(...)`.", "none")], show=[])
    if near is None:
        return Told([happened, "Its help says which arguments it takes."],
                    [Fix(f"Put the cursor behind `{function}(`, and press Shift-Tab.", "none")],
                    show=[])
    why = f"Until 2017, `{near}` had that name." if keyword in OLD else \
        f"The nearest name of an argument is `{near}`."
    return Told([happened, why],
                [Fix(f"Write `{near}=`.", "none, if that is what you mean")], show=[])


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like another one, if any is like it; public names only."""
    public = sorted({one for one in known if isinstance(one, str) and not one.startswith("_")}
                    - {name})
    same = next((one for one in public if one.casefold() == name.casefold()), None)
    return same or next(iter(get_close_matches(name, public, n=1, cutoff=0.75)), None)


def parameters(function: Any) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def cell_that_makes(name: str, scene: Scene) -> int:
    """The number of the last cell that ran and gives a name its value; 0 if none does."""
    found = [number or 0 for file, number in cell_numbers().items() if file != scene.file
             for tree in [text_of_cell(file)] if tree is not None and name in stored_in(tree)]
    return max(found, default=0)
