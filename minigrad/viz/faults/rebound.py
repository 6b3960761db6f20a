"""For `why`: loops over parameters that give their variable another tensor, and write nothing."""
from __future__ import annotations

import ast
from collections.abc import Iterator

from ..drawing.explanation import Fix
from ..program.called import with_calls
from ..program.entered import looped_tensors, pairs
from ..program.parsed import last_name
from ..program.places import line_of
from ..program.ran import around
from ..watching.history import steps as every_step
from ..watching.measured import counted
from ..watching.modes import unchanged_since
from .answer import Answer, place
from .evidence import Case

FEWEST = 2  # steps or passes, so that no finding rests on one


def rebound(case: Case) -> Answer | None:
    """A parameter that has not changed, as `p = ...` in a loop over parameters writes nothing."""
    lines = case.common.once("rebinding", case.program, lambda: [
        part for part in case.program.parts if isinstance(part, ast.Assign) and _rebinds(part)])
    line = case.common.once("rebound", case.program, lambda: dict(_tensors(
        case, lines))).get(id(case.tensor)) if lines else None
    if line is None:
        return None
    kinds = [one.kind for one in case.history]
    since, passes = unchanged_since(case.tensor), kinds.count("pass")
    steps = 0 if since is None else sum(step.order > since for step in every_step())
    if max(steps, passes) < FEWEST or "written" in kinds or "step" in kinds:
        return None
    in_all = counted(steps, "step", "steps") if steps else counted(passes, "pass", "passes")
    name, value = ast.unparse(line.targets[0]), ast.unparse(line.value)
    return Answer("rebound", f"The loop{place(line_of(line))} gives its variable {name} another "
                  f"tensor, which nothing reads, and writes nothing to the parameter: {case.name} "
                  f"has not changed in {in_all}.",
                  [Fix(f"Write into the parameter, under torch.no_grad(): `{name}.copy_({value})`.",
                       "none")], [case.tensor], line=line_of(line))


def _rebinds(part: ast.Assign) -> bool:
    """Whether it computes another tensor for the variable of a loop over parameters.

    Nothing reads that, and no call in it writes in place, as `p = p.mul_(2)` does.
    """
    loop = next((outer for _, outer in around(part) if isinstance(outer, ast.For)), None)
    overs = {} if loop is None else {
        ast.unparse(one): ast.unparse(over) for one, over in pairs(loop.target, loop.iter)}
    name, end = ast.unparse(part.targets[0]), (part.end_lineno or 0, part.end_col_offset or 0)
    if loop is None or "parameters(" not in overs.pop(name, ""):
        return False
    names = {one.id for one in ast.walk(part.value) if isinstance(one, ast.Name)}
    computes = isinstance(part.value, ast.BinOp) or not names.isdisjoint(overs)
    return computes and not any(
        last_name(one.func).endswith("_") for one in ast.walk(part.value)
        if isinstance(one, ast.Call)) and not any(
        isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)
        and (one.lineno, one.col_offset) > end for one in ast.walk(loop))


def _tensors(case: Case, lines: list[ast.Assign]) -> Iterator[tuple[int, ast.Assign]]:
    """(id of a parameter, line) of what the variables of these loops are given."""
    for program, statement in with_calls(case.cuts.trail):
        if isinstance(statement, ast.Assign) and statement in lines:
            for one in looped_tensors(statement.targets[0], program):
                yield id(one), statement
