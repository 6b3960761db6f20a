"""For `why`: one module in two places, where two modules were meant."""
from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from ..drawing.explanation import Fix
from ..graph.modules import inner_modules, joined, members
from ..program.given import held_by
from ..program.names import as_code
from ..program.node_lines import line_of, only_line
from ..program.parsed import FUNCTIONS, last_name
from ..program.program_text import loop_variables
from ..program.ran import around
from ..program.statements import mode_of, walked
from .answer import Answer, place
from .evidence import Case

ROLES = re.compile(r"(^|_)(target|ema|teacher|momentum|shadow|averaged?|old|previous|frozen|best|"
                   r"backup|slow|snapshot)(_|$)")


def one_module(case: Case) -> Answer | None:
    """A module that a list repeats, or that is the copy of itself, such as a target network."""
    if not case.training.holders:
        return None
    for module, path, names in case.common.once("shared", case.names,
                                                lambda: list(_shared(case))):
        if case.common.holds(module, case.tensor) and (found := (
                _repeated if names[0].isdigit() else _copied)(case, path, names)):
            return found
    return None


def _shared(case: Case) -> Iterator[tuple[Any, str, list[str]]]:
    """(module, path of the owner, names) where a module has several names in one place."""
    found: dict[tuple[int, str, bool], tuple[Any, str, list[str]]] = {}

    def add(module: Any, path: str, name: str) -> None:
        given = not path and name in arguments  # `train(teacher)`: `model` is a second name for it
        names = found.setdefault((id(module), path, given), (module, path, []))[2]
        names += [name] * (name not in names)

    frame = case.names.frame
    loops = loop_variables(frame) if frame else set()
    code = frame.f_code if frame else None
    arguments = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount] if code else ()
    for path, model in case.names.models:
        if path.partition(".")[0] in loops:
            continue  # `for model in (teacher, student)` gives each of them a second name
        root, _, name = path.rpartition(".")
        add(model, root, name)
        for inner, owner in inner_modules(model).items():
            for name, module in vars(owner)["_modules"].items():
                add(module, joined(path, inner), name)
    return (row for row in found.values() if len(row[2]) > 1 and row[0] is not None)


def _repeated(case: Case, path: str, names: list[str]) -> Answer | None:
    """`[nn.Linear(5, 5)] * 3`: the list repeats one module."""
    products = [part for part in case.program.parts
                if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult)
                and any(isinstance(side, ast.List) and any(
                    isinstance(one, ast.Call) for one in side.elts)
                    for side in (part.left, part.right))]
    if (line := only_line(products)) is None:
        return None
    return Answer("one module",
                  f"{path} holds the same module {len(names)} times: `[...] * n`{place(line)} "
                  f"repeats it and copies nothing, so {len(names)} layers share {case.name}.",
                  [Fix("Make each of them: `[... for _ in range(n)]`.",
                       f"{len(names)} times as many parameters")], [case.tensor], line=line)


def _copied(case: Case, path: str, names: list[str]) -> Answer | None:
    """Two names, one of which is meant for a copy: by its name, or called under no_grad alone."""
    quiet, loud = case.common.once("quiet calls", case.names, lambda: _calls(case))
    copies = [name for name in names if ROLES.search(name.lower()) or name in quiet - loud]
    others = [name for name in names if name not in copies]
    if not copies or not others:
        return None
    copy, other = copies[0], others[0]
    bound = [part for part in case.program.parts if isinstance(part, (ast.Assign, ast.AnnAssign))
             and copy in map(last_name, getattr(part, "targets", [getattr(part, "target", part)]))]
    # of several, the one that gives a second name to the module: another may make a module
    line = only_line([one for one in bound if last_name(one.value or one) == other] or bound)
    first, second = joined(path, other), joined(path, copy)
    return Answer("one module",
                  f"{first} and {second} are one and the same module{place(line)}, and no copy: "
                  f"what changes one changes both.",
                  [Fix(f"Copy it: `{as_code(second)} = copy.deepcopy({as_code(first)})`, after "
                       "`import copy`.",
                       "its parameters are in memory twice, and the copy has to be updated")],
                  [case.tensor], line=line)


def sharing(case: Case) -> list[Fix]:
    """A fix for a module that is a deep copy of one that an optimizer holds and the pass used."""
    _, model = case.common.model_of.get(id(case.tensor), ("", None))
    modules = inner_modules(model) if model is not None else {}
    leaves, passes = set(map(id, case.leaves)), _passes(case, case.tensor)
    held = {id(one) for _, optimizer in case.training.optimizers for one in held_by(optimizer)}
    for inner, module in modules.items():
        owner, _, attribute = inner.rpartition(".")
        lines = _copying(case, attribute) if case.common.holds(module, case.tensor) else []
        if len(lines) != 1:
            continue
        source = ast.unparse(lines[0].value.args[0])  # type: ignore[attr-defined]
        names = {last_name(target) for part in ast.walk(around(lines[0])[-1][1])
                 if isinstance(part, ast.Assign) and ast.unparse(part.value) == source
                 for target in part.targets} | {source.rpartition(".")[2]}
        for other in filter(None, (modules.get(joined(owner, name)) for name in sorted(names))):
            own = [one for _, one in members(other)]
            if own and other is not module and all(
                    id(one) in held and (id(one) in leaves or passes & _passes(case, one))
                    for one in own if one.requires_grad):
                target = ast.unparse(lines[0].targets[0])
                return [Fix("If both are to share their weights, make no copy: "
                            f"`{target} = {source}`{place(line_of(lines[0]))}.",
                            "each of the two trains the weights of both")]
    return []


def _passes(case: Case, leaf: Any) -> set[int]:
    """The numbers of the passes that a watch saw come to a leaf."""
    return {event.of_pass for event in case.common.history(leaf) if event.kind == "pass"}


def _copying(case: Case, attribute: str) -> list[ast.Assign]:
    """The lines that assign an attribute, where each of them makes a deep copy of something."""
    found = [part for part in case.program.parts if isinstance(part, ast.Assign)
             and attribute in [getattr(one, "attr", "") for one in part.targets]]
    return found if all(isinstance(one.value, ast.Call) and len(one.value.args) == 1
                        and last_name(one.value.func) == "deepcopy" for one in found) else []


def _calls(case: Case) -> tuple[set[str], set[str]]:
    """The last names of what the text calls where nothing is recorded, and elsewhere."""
    bodies = [(body, mode) for body, mode, _ in case.program.scopes]
    bodies += [(part.body, mode_of(part.decorator_list)) for part in case.program.parts
               if isinstance(part, FUNCTIONS)]
    found: tuple[set[str], set[str]] = set(), set()
    for body, mode in bodies:
        for statement, inner, _ in walked(body, mode):
            if not hasattr(statement, "body"):
                found[0 if inner else 1].update(
                    last_name(part.func)
                    for part in ast.walk(statement) if isinstance(part, ast.Call))
    return found
