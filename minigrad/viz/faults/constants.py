"""For `why`: summands of a loss that have lost their history, as numbers or by detach()."""
from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor
from ..program.cut_words import parts
from ..program.cuts import Source, sources_of
from ..program.lines import line_words
from ..program.node_lines import Line, line_of
from ..program.numeric import numbers_added
from ..program.parsed import last_name
from ..program.read import read
from ..program.stored import Assigned
from ..program.trail import Trail
from ..watching.cut_notes import NUMBERS as NOTED
from ..watching.cut_notes import losses_of
from ..watching.pass_notes import noted_of
from .answer import Answer, place
from .cut import later_words
from .evidence import Case
from .recorded import MEMORY

NUMBERS = (".item()", ".tolist()", "float()")
DETACHED = ("detach()", ".data", ".numpy()", "from_numpy()", "torch.tensor()")


def number(case: Case) -> Answer | None:
    """A Python number among the summands of a loss, taken from what the tensor led to.

    What the loss uses twice, such as the largest score in a sum of exponentials, may cancel out.
    """
    for start in _starts(case):
        for trail, part in numbers_added(case.cuts.trail, start):
            twice = [one for one in ast.walk(part) if isinstance(one, ast.Name)
                     and _uses(case, start, one.id) > 1 and _cut(case, trail, one)]
            if not twice and (cut := _cut(case, trail, part)) and (found := of_number(case, cut)):
                return found
    return None


def detached(case: Case) -> Answer | None:
    """A summand that was computed from what the tensor led to, after its history was taken.

    A single number that is detached itself may be meant: it is added to be shown.
    """
    lines = {(one.word, one.line) for one in losses_of(case.tensor)}
    for one in noted_of(case.tensor, "constant"):
        if (one.kind[1], one.line_before) in lines:
            return _of_detached(case, one.before, one.line, one.kind[1], one.line_before)
    for start in _starts(case):
        for name, value, line in case.common.once(
                ("summands", ast.unparse(start)), case.program,
                lambda: list(summands_of(case, start, None))):  # noqa: B023
            call = isinstance(value, ast.Call)
            origin = Assigned(value, "") if call else case.program.assigned(name)
            if not call and (not is_tensor(value) or value.requires_grad or value.numel() > 1) \
                    or origin is None or _uses(case, start, name or ast.unparse(value)) > 1:
                continue
            itself = last_name(getattr(origin.expression, "func", origin.expression))
            for cut in sources_of(case.cuts.trail, origin, case.leads_to):
                if call and not _is_constant(case, start, value):
                    break
                if found := of_number(case, cut):
                    return found
                single = is_tensor(cut.value) and cut.value.numel() == 1 and not (
                    cut.value is case.tensor and _takes_more(case, cut, name, origin))
                if cut.word in DETACHED and f"{itself}()" != cut.word and not single:
                    return _of_detached(case, name, line, cut.word, cut.line)
    return None


def _takes_more(case: Case, cut: Source, name: str, origin: Assigned) -> bool:
    """Whether leaves of more numbers went through the same cut, as in a loop over parameters."""
    lines = case.common.once(("larger", name), case.program, lambda: {
        one.line for one in sources_of(case.cuts.trail, origin, lambda value: is_tensor(value)
                                       and value.is_leaf and value.requires_grad
                                       and value.numel() > 1)})
    return cut.line in lines


def _starts(case: Case) -> list[ast.expr]:
    """What passes start from that the tensor led to."""
    return [one for one in case.starts if is_tensor(value := case.program.value(one))
            and case.leads_to(value)]


def _is_constant(case: Case, start: ast.expr, call: ast.Call) -> bool:
    """Whether the graph has a constant where the text has a call."""
    graph = case.common.once(("graph", ast.unparse(start)), case.program, lambda: read(
        [case.program.value(start)], case.names, show=()))
    places = case.common.once(("constants", ast.unparse(start)), case.program,
                              lambda: case.cuts._expressions(graph))
    return any(one is call for part in places.values() for one in ast.walk(part))


def _uses(case: Case, start: ast.expr, name: str) -> int:
    """How often the text behind a result uses a variable or has a call, but for what assigns it."""
    found = case.common.once(("uses", ast.unparse(start)), case.program, lambda: Counter(
        text for _, name, origin in case.cuts.trail.reached([Assigned(start, "")])
        for one in ast.walk(origin.expression) if isinstance(one, (ast.Name, ast.Call))
        and (text := ast.unparse(one)) != name))
    return int(found[name])


def _cut(case: Case, trail: Trail, part: ast.expr) -> Source | None:
    """Where a value computed from the tensor became a number: by the text, or by a watch."""
    if cut := next(sources_of(trail, Assigned(part, ""), case.leads_to), None):
        return cut
    lines = {one.line[:2] for one in losses_of(case.tensor)
             if one.line and one.word in NOTED.values()}
    for _, _, origin in trail.reached([Assigned(part, "")]) if lines else ():
        for one, word in parts(origin.expression):
            if word in NUMBERS and (line := line_of(one))[:2] in lines:
                return Source(word, None, line)
    return None


def of_number(case: Case, cut: Source) -> Answer | None:
    """A summand that went through a Python number."""
    if cut.word not in NUMBERS or not cut.line.line:
        return None
    later = later_words(cut)
    several = " (torch.stack() joins several)" * later.endswith("torch.tensor()")
    fix = Fix(f"Add the tensor itself in {line_words(cut.line)}, without {cut.word}{later}"
              f"{several}.", MEMORY)
    words = (f"The loss also depends on {case.name} through a number that {cut.word} made"
             f"{place(cut.line)}. The gradient of what it adds to the loss ends there, and never "
             f"comes to {case.name}.")
    return Answer("constant summand", words, [fix], [case.tensor], line=cut.line)


def _of_detached(case: Case, name: str, line: Line | None, word: str, cut: Any) -> Answer:
    word = f"torch.{word}" if word in ("tensor()", "as_tensor()") else word
    several = " (torch.stack() joins several)" * word.startswith("torch.")
    fix = Fix(f"Use the tensor itself in {line_words(cut)}, without {word}{several}.", MEMORY)
    return Answer("constant summand", f"{name or 'A number'} is added into the loss{place(line)}, "
                  f"and changes no gradient: it was computed from what {word}{place(cut)} "
                  f"returned, which has no history. No gradient comes to {case.name} that way.",
                  [fix] * bool(place(cut)), [case.tensor], line=cut)


def summands_of(case: Case, part: ast.expr, line: Line | None) -> Iterator[tuple[str, Any, Line]]:
    """The variables that an expression adds up, perhaps with a factor, their values and its line.

    A call has no name, and is given in place of its value.
    """
    if isinstance(part, ast.BinOp) and isinstance(part.op, (ast.Add, ast.Sub)):
        for side in (part.left, part.right):
            yield from summands_of(case, side, line_of(part))
    elif isinstance(part, ast.UnaryOp):
        yield from summands_of(case, part.operand, line)
    elif isinstance(part, ast.BinOp) and isinstance(part.op, (ast.Mult, ast.Div)):
        sides = [part.left, part.right] if isinstance(part.op, ast.Mult) else [part.left]
        tensors = [side for side in sides if any(
            isinstance(one, ast.Call) or is_tensor(case.program.value(one))
            for one in ast.walk(side) if isinstance(one, ast.expr))]
        for side in tensors if len(tensors) == 1 and line else ():
            yield from summands_of(case, side, line)
    elif isinstance(part, ast.Call):
        if line is not None:
            yield "", part, line
    elif isinstance(part, ast.Name):
        if line is not None:
            yield part.id, case.program.value(part), line
        if origin := case.program.assigned(part.id, part if hasattr(part, "parent") else None):
            if origin.at is None and isinstance(origin.expression, ast.BinOp):
                yield from summands_of(case, origin.expression, line)
