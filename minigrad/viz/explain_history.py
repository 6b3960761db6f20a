"""The cause "does not require grad": where, on the way to the result, the history ended.

The graph of a constant is empty, but the program's text says how the constant was computed. It is followed
back, variable by variable, to the expression that hands on values without a history.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

from .explain_lines import source_line, statement_at
from .explain_scene import Scene
from .explain_stale import in_words
from .explain_table import Told, cause
from .explanation import Fix
from .facts import can_be_read, is_tensor, is_written_view
from .places import short
from .source import QUIET, Assigned, Program
from .trail import Trail, parts

KEEPS = "the operations before it keep what they save in memory until the pass"
RECORDS = "the backward pass is recorded, and its graph stays in memory"
OTHER = "the program minimizes another function"
WITHOUT = "backward() and grad() record no history for gradients without create_graph=True"
ENDS = {  # what ended the history: why, the fix and its price
    **dict.fromkeys(QUIET, ("{word} stops recording", "Move `{code}` out of the {word} block.", KEEPS)),
    "function": ("{source}() computes it under no_grad",
                 "Compute it without no_grad, which {source}() switches on.", KEEPS),
    "set_grad_enabled": ("it stops recording", "Call `torch.set_grad_enabled(True)` before the forward pass.",
                         KEEPS),
    "once": ("the backward of {source} is marked @once_differentiable, so nothing was recorded",
             "Write the backward of {source} with tensor operations, and remove the mark.", RECORDS),
    "grad": (WITHOUT, "Give grad() `create_graph=True`.", RECORDS),
    ".grad": (WITHOUT, "Compute the gradient with `torch.autograd.grad(..., create_graph=True)`.", RECORDS),
    "torch.tensor()": ("torch.tensor() copies numbers, without their history",
                       "Use `torch.stack(...)` in place of torch.tensor().", KEEPS),
    "integers": ("whole numbers have no gradient", "Compute the loss from {source} itself, with softmax or "
                 "cross_entropy in place of argmax.", OTHER),
    "booleans": ("a comparison has no gradient", "Use a smooth function, such as sigmoid.", OTHER),
    "step": ("{source} is a new tensor since then, and no leaf", "Change {source} in place, so that it stays "
             "a leaf: `{source} -= ...` under `with torch.no_grad():`.",
             "a graph that saved the old values of {source} can't run another pass"),
}
NUMBER = ("{word} returns a number without a history", "Leave out {word} until after the pass.", KEEPS)
VALUE = ("{word} returns the value without its history", "Leave out {word}.", KEEPS)


class End(NamedTuple):
    """Where a history ended."""

    word: str  # what ended it: a key of ENDS, or the call that returns the value alone
    source: str  # the variable whose history ended
    place: str  # the line, as far as it is in the file of the error
    code: str


@cause("no history", r"element (\d+) of tensors does not require grad")
def no_history(scene: Scene, match: Any) -> Told:
    root = scene.roots[int(match[1])] if len(scene.roots) > int(match[1]) else None
    name = scene.of(root, "a tensor")
    named = root is not None and scene.names.of(root)
    words = (f"{scene.here} starts at {f'{name}, ' if named else ''}a constant: no recorded operation leads "
             "from a leaf to it.")
    leaves = [key for key, tensor in scene.names.tensors.items()
              if tensor.requires_grad and not is_written_view(tensor) and tensor.is_leaf]
    found = list(ends(scene, root))
    end = next((one for one in found if one.source), next(iter(found), None))
    if end is not None:
        said = end._asdict()
        why, *fix = ENDS.get(end.word, NUMBER if end.word in (".item()", ".tolist()", "float()") else VALUE)
        whose = f" of {end.source}" if end.source and end.word not in ("function", "once", "grad") else ""
        more = f"The history{whose} ends in {end.place}`{end.code}`: {why.format(**said)}."
    else:
        one = len(leaves) == 1
        more = "None of the variables here is a leaf that requires a gradient."
        if leaves:
            more = (f"{in_words(leaves)} require{'s' * one} a gradient, but no recorded operation leads from "
                    f"{'it' if one else 'them'} to {name}. Comparisons, whole numbers and lines in no_grad "
                    "are not recorded.")
        said = {}
        fix = (f"Let a leaf require a gradient (requires_grad=True) before {name} is computed, and compute "
               f"{name} "
               "from it outside no_grad, and without comparisons or whole numbers.", KEEPS)
    if named:
        more += f" `{name}.requires_grad_()` would silence the error and train nothing."
    guilty = [root] if root is not None else []
    return Told([words, more], [Fix(*(part.format(**said) for part in fix))], guilty)


def ends(scene: Scene, root: Any) -> Iterator[End]:
    """Where the history ended: what is found when the text is followed back from the root."""
    name = scene.names.of(root) if root is not None else ""
    start = [ast.Name(name, ast.Load())] if name.isidentifier() else roots_of(scene)
    line, seen = [(Trail(scene.program), Assigned(one, "")) for one in start], set()
    while line:
        trail, origin = line.pop(0)
        program = trail.program
        yield from ended(scene, program, origin)
        for part in ast.walk(origin.expression):
            if isinstance(part, ast.Call) and (inside := trail._entered(part)):
                key, places = inside.program.frame.f_code, inside.program._places("return")
                if any(one and one.quiet for one in places):
                    yield told(scene, "function", _last(part.func), origin)
            elif isinstance(part, ast.Name) and not is_tracked(program.held(part)):
                inside, key, name = trail, (program.frame.f_code, part.id), part.id
                places = program._places(name)
                yield from (told(scene, "step", name, one) for one in places if one and is_step(name, one))
            else:
                continue
            line += [(inside, one) for one in places if one and key not in seen]
            seen.add(key)
    for call, _ in scene.program.calls():
        if ast.unparse(call).endswith("set_grad_enabled(False)"):
            yield told(scene, "set_grad_enabled", "", Assigned(call, ""))


def roots_of(scene: Scene) -> list[ast.expr]:
    """What backward() or grad() was called on, as the statement has it."""
    found = []
    for call in scene.calls_of(scene.verb):
        owner = getattr(call.func, "value", None)
        method = owner is not None and not isinstance(scene.value(owner), ModuleType)
        found += [owner] if method else call.args[:1]
    return found


def ended(scene: Scene, program: Program, origin: Assigned) -> Iterator[End]:
    """The parts of an expression that return a value without its history."""
    if origin.quiet and program is scene.program:
        yield told(scene, origin.quiet, source(program, origin.expression), origin)
    for part, word in parts(origin.expression):
        if word and is_tracked(program.held(part)):
            yield told(scene, word, source(program, part), origin)
    for part in ast.walk(origin.expression):
        if isinstance(part, ast.Attribute) and part.attr == "grad" and is_tracked(program.held(part.value)):
            yield told(scene, ".grad", source(program, part.value), origin)
        elif isinstance(part, ast.Call) and _last(part.func) == "grad":
            if not any(one.arg == "create_graph" for one in part.keywords):
                yield told(scene, "grad", "", origin)
            elif marked := once_differentiable(scene):
                yield told(scene, "once", marked, origin)


def once_differentiable(scene: Scene) -> str:
    """The name of a Function in the visible text whose backward is marked so, or ""."""
    parts = [node for body, _, _ in scene.program.scopes for one in body for node in ast.walk(one)]
    return next((one.name for one in parts if isinstance(one, ast.ClassDef) for method in one.body
                 if "once_differentiable" in map(_last, getattr(method, "decorator_list", []))), "")


def _last(part: ast.expr) -> str:
    """`f` of `f`, `a.f`."""
    return getattr(part, "attr", getattr(part, "id", ""))


def told(scene: Scene, word: str, name: str, origin: Assigned) -> End:
    """An end, with the statement around it if that is in the file of the error."""
    expression = origin.expression
    file = scene.frame.f_code.co_filename
    statement = statement_at(file, getattr(expression, "lineno", 0))
    code = " ".join(ast.unparse(expression).split())
    if statement is not None and code in " ".join(ast.unparse(statement).split()):
        return End(word, name, f"{short(file, statement.lineno)}, ", source_line(file, statement.lineno))
    return End(word, name, "", code)


def is_step(name: str, origin: Assigned) -> bool:
    """Whether a variable was replaced by itself and a gradient: `w = w - lr * w.grad`."""
    parts = [part for part in ast.walk(origin.expression) if isinstance(part, (ast.Name, ast.Attribute))]
    used = {ast.unparse(part) for part in parts}
    return name in used and (f"{name}.grad" in used or bool(origin.quiet))


def source(program: Program, expression: ast.expr) -> str:
    """The first tensor or list in an expression, rather than a model, that requires a gradient."""
    found = [part for part in ast.walk(expression) if isinstance(part, (ast.Name, ast.Attribute))
             and is_tracked(program.held(part)) and not hasattr(type(program.held(part)), "parameters")]
    return ast.unparse(found[0]) if found else ""


def is_tracked(value: Any) -> bool:
    if hasattr(type(value), "parameters") and not isinstance(value, type):
        value = list(value.parameters())
    if isinstance(value, (list, tuple)):
        return any(is_tensor(one) and one.requires_grad for one in value)
    return is_tensor(value) and can_be_read(value, history=False) and value.requires_grad
