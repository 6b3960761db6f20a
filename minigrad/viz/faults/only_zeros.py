"""For `why`: optimizers and modules in all of whose parameters steps took nothing but zeros."""
from __future__ import annotations

import ast
from typing import Any

from ..drawing.explanation import Fix
from ..graph.modules import inner_modules, joined, members
from ..program.given import held_by
from ..program.lines import line_words, statement_at
from ..program.parsed import parts_of
from ..watching.pass_notes import Noted, noted_of
from .answer import Answer, place
from .common import Common
from .evidence import Case
from .extreme_numbers import UNKNOWN
from .steps import steps_of

OTHERWISE = ("adds up to 0", "not known", "healthy", "emptied", "not in the last pass")
FEWEST = 2  # steps, so that no finding rests on one


def only_zeros(case: Case, found: Answer) -> Answer:
    """What was found; or this, where nothing that is wrong was, and no step took anything else."""
    unknown = found.cause in OTHERWISE or UNKNOWN in found.sentence
    steps = steps_of(case) if unknown else []
    if len(steps) < FEWEST:
        return found
    _, optimizer, group = next(iter(case.training.holders), ("", None, {}))
    leaves = held_by(optimizer) if optimizer is not None else case.common.tensors
    of = case.common if optimizer is None else optimizer
    moved = case.common.once("zeros", of, lambda: _moved(case.common, leaves))
    name = steps[-1].name or f"the optimizer {steps[-1].optimizer}"
    whole = f"its {len(leaves)} parameters"
    if moved is None:
        whole, moved = _of_ratio(case)
    if moved is None or moved and not group.get("weight_decay"):
        return found
    line, cause = steps[-1].line, ""
    fixes: list[Fix] = []
    for one in noted_of(case.tensor, "sent"):
        if one.kind == ("sent", "opposite"):
            line, fixes = one.line, _fixes(one)
            cause = (f" What {one.node}{place(one.line)} sends to its inputs goes to {case.name} "
                     "on several ways, and adds up to 0 there.")
            break
    so = "what moved them was no gradient" if moved else "none of them moved"
    return Answer("only zeros",
                  f"Each of {len(steps)} steps of {name}{place(steps[-1].line)} took a gradient "
                  f"of 0 for each of {whole}, such as {case.name}, and {so}.{cause}",
                  fixes, [case.tensor], line=line)


def _of_ratio(case: Case) -> tuple[str, bool | None]:
    """The largest module around the tensor whose zeros are those of an exponent: exp(a - b)."""
    path, model = case.common.model_of.get(id(case.tensor), ("", None))
    ratio = any(one.kind == ("sent", "opposite") and one.before == "ExpBackward0"
                for one in noted_of(case.tensor, "sent"))
    for inner, module in inner_modules(model).items() if ratio and model is not None else ():
        leaves = [one for _, one in members(module) if one.requires_grad]
        if case.common.holds(module, case.tensor) and len(leaves) > 1 and (
                moved := case.common.once("zeros", module, lambda: _moved(
                    case.common, leaves))) is not None:  # noqa: B023
            return f"the {len(leaves)} parameters of {joined(path, inner)}", moved
    return "", None


def _moved(common: Common, leaves: list[Any]) -> bool | None:
    """Whether any of these moved in steps that took zeros alone; None: they took something else."""
    moved = there = False
    for event in (one for leaf in leaves for one in common.history(leaf)):
        grad = event.grad if event.kind == "step" else event.arrived
        if event.kind == "written" or grad is not None and grad.norm != 0:
            return None
        moved = moved or bool(event.kind == "step" and event.update)
        there = there or grad is not None
    return moved if there else None


def _fixes(one: Noted) -> list[Fix]:
    """Detach one of the two sides of the difference or quotient that a line holds."""
    statement = statement_at(one.line.filename, one.line.line) if one.line is not None else None
    kind = {"Sub": ast.Sub, "Div": ast.Div}.get(one.node.removesuffix("Backward0"))
    found = [part for part in parts_of(statement) if isinstance(part, ast.BinOp)
             and kind is not None and isinstance(part.op, kind)] if statement is not None else []
    if len(found) != 1 or one.line is None:
        return []
    sides = [ast.unparse(side) for side in (found[0].left, found[0].right)]
    codes = [f"{side}.detach()" if side.isidentifier() else f"({side}).detach()" for side in sides]
    return [Fix(f"Detach the side that is meant to stay as it was, in {line_words(one.line)}: "
                f"`{codes[1]}`, or else `{codes[0]}`.", "no gradient flows into that side")]
