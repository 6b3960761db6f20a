"""For `why`: a flag that a program sets by a name which nothing reads, as `require_grad`."""
from __future__ import annotations

import ast
from difflib import get_close_matches
from functools import lru_cache

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor
from ..graph.modules import inner_modules, joined
from ..program.lines import is_of_library
from ..program.node_lines import only_line
from ..program.program_text import Program
from ..program.statements import attributes_in
from .answer import Answer, place
from .evidence import Case

FLAG = "requires_grad"


def misnamed(case: Case) -> Answer | None:
    """A line that sets `require_grad`, or `requires_grad` of a module: nothing reads that."""
    stored = case.common.once("misnamed", case.program, lambda: _almost(case.program))
    path, model = case.common.model_of.get(id(case.tensor), ("", None))
    owners = [(case.name, case.tensor)]
    owners += case.common.once("flagged", model, lambda: [] if model is None else [
        (joined(path, inner), one) for inner, one in inner_modules(model).items()
        if not vars(one).keys().isdisjoint(stored)])
    for owner, one in owners:
        library = is_of_library(type(one)) and case.training.holders
        for word, value in getattr(one, "__dict__", {}).items():
            if type(value) is bool and value != case.tensor.requires_grad and (
                    stored.get(word) or word in stored and library) and (
                    is_tensor(one) or case.common.holds(one, case.tensor)):
                line = only_line(stored[word])
                right = f"{FLAG} = {value}" if is_tensor(one) else f"{FLAG}_({value})"
                return Answer("misnamed", f"{owner}.{word} is {value}{place(line)}, and nothing "
                              f"reads it: {case.name}.{FLAG} is {not value}.",
                              [Fix(f"Write `.{right}` in place of `.{word} = {value}`.", "none")],
                              [case.tensor], line=line)
    return None


def _almost(program: Program) -> dict[str, list[ast.Attribute]]:
    """The attributes that a text only assigns, and whose names are almost `requires_grad`."""
    used: dict[str, list[ast.Attribute]] = {FLAG: []}  # another file may assign it
    for body, _, _ in program.scopes:
        for word, parts in attributes_in(body).items():
            if _is_almost_flag(word):
                used.setdefault(word, []).extend(parts)
    return {word: found for word, found in used.items()
            if all(isinstance(part.ctx, ast.Store) for part in found)}


@lru_cache(maxsize=10_000)
def _is_almost_flag(word: str) -> bool:
    return bool(get_close_matches(word, [FLAG], cutoff=0.9))
