"""For `why`: iterators over parameters that had come to their end, so that nothing was done."""
from __future__ import annotations

import ast

from ..drawing.explanation import Fix
from ..graph.modules import is_model
from ..program.lines import statement_at
from ..program.node_lines import Line, line_of
from ..program.parsed import last_name
from ..program.ran import LOOPS, around, has_run
from ..watching.events import Event
from ..watching.history import late_writes
from ..watching.used_up_calls import Empty, empty_calls, used_up
from .answer import Answer, place
from .evidence import Case
from .made import assigned_line
from .steps import steps_of
from .unused import calls_in, norm_of

FEWEST = 2  # passes, so that a loop over parameters has run twice


def limited_nothing(case: Case) -> Answer | None:
    """Limits before steps which got no tensor, as their iterator had come to its end before."""
    if not empty_calls():
        return None
    early, events = max(late_writes(case.tensor)[1].values(), default=0), case.history
    found: list[tuple[Empty, Event]] = []
    for before, step in zip(events, events[1:]):
        if (before.kind, step.kind) == ("pass", "step") and norm_of(step):
            found += [(one, step) for one in empty_calls()
                      if max(before.order, early) < one.order < step.order][:1]
    if not found:
        return None
    (call, step), count = found[-1], len(found)
    given = next((one.args[0] for one in calls_in(call.line)
                  if last_name(one.func) == call.function and one.args), None)
    what, made = _made(case, given)
    if made and not _is_over(case, made):
        return None  # the limit was meant for others
    return Answer("not limited", f"{call.function}{place(call.line)} got no tensor before "
                  f"{'a step' if count == 1 else f'{count} of {len(steps_of(case))} steps'}: "
                  f"{what} is an iterator, and had come to its end before. So nothing limited "
                  f"{case.name}.grad, of which the last of these steps{place(step.line)} took the "
                  f"norm {norm_of(step):.3g}.", [_list(what, made, "the steps become shorter")],
                  [case.tensor], line=call.line)


def looped_over_nothing(case: Case) -> Answer | None:
    """A loop over an iterator that was made once, in a loop over passes."""
    passes = [event for event in case.history if event.kind == "pass"]
    if len(passes) < FEWEST:
        return None
    loops = case.common.once("used up", case.program, lambda: [
        (part, name) for part in case.program.parts
        if isinstance(part, (ast.For, ast.comprehension))
        for name in (part.iter, *getattr(part.iter, "args", ()))
        if isinstance(name, (ast.Name, ast.Attribute)) and used_up(case.program.held(name))])
    for part, name in loops:
        what, made = _made(case, name)
        outer = _loop_of(name, passes[-1].line)
        if made and outer and outer not in [one for _, one in around(made)] and (
                has_run(case.program, part.iter) and _is_over(case, made)):
            line = line_of(part.iter)
            return Answer("used up", f"The loop over {ast.unparse(part.iter)}{place(line)} got no "
                          f"tensor, but for its first time at most: {what} is an iterator that was "
                          f"made once, and came to its end. {len(passes)} passes brought gradients "
                          f"to {case.name}.", [_list(what, made, "none")], [case.tensor], line=line)
    return None


def _loop_of(part: ast.expr, line: Line | None) -> ast.AST | None:
    """The loop around a part of the text, and around a line."""
    return next((outer for inner, outer in around(part) if isinstance(outer, LOOPS)
                 and inner is not getattr(outer, "iter", None) and line is not None
                 and outer.lineno <= line.line <= (outer.end_lineno or 0)
                 and line_of(outer).filename == line.filename), None)


def _made(case: Case, given: ast.expr | None) -> tuple[str, ast.expr | None]:
    """How the text calls what a function was given, and what made it, where that is certain."""
    if not isinstance(given, (ast.Name, ast.Attribute)):
        return "what it was given", None
    name = ast.unparse(given)
    line = assigned_line(case, name)
    statement = statement_at(line.filename, line.line) if line else None
    made = statement.value if isinstance(statement, ast.Assign) else None
    return f"{name}{place(line)}", made


def _is_over(case: Case, made: ast.expr) -> bool:
    """Whether an expression may yield the tensor: it names its model, or none that is known."""
    models = [held for one in ast.walk(made) if isinstance(one, (ast.Name, ast.Attribute))
              and is_model(held := case.program.held(one))]
    return not models or any(case.common.holds(one, case.tensor) for one in models)


def _list(what: str, made: ast.expr | None, price: str) -> Fix:
    name = what.partition(" (")[0]
    return Fix(f"Make a list: `{name} = list({ast.unparse(made)})`." if made else
               "Give it a list, or what `parameters()` returns anew, in that line.", price)
