"""For `why`: steps that changed nothing, and gradients that no step took, as a watch saw them."""
from __future__ import annotations

import ast
from bisect import bisect
from math import isfinite

from ..drawing.explanation import Fix
from ..graph.modules import is_model, members
from ..program.lines import statement_at
from ..program.node_lines import Line, line_of, only_line
from ..program.parsed import last_name, parts_of
from ..program.ran import LOOPS, around, has_run
from ..program.training_text import kinds_of
from ..watching.calls import calls_with
from ..watching.events import Event, Late, taken_of
from ..watching.history import MOST, history_of, late_writes
from ..watching.history import steps as steps_of_all
from ..watching.scaling import Scaled, scaled_of
from .answer import Answer, place
from .evidence import Case
from .steps import steps_of

HALF = ("float16", "bfloat16")
NOISE = 0.01  # a smaller gradient may be 0 but for rounding, as that of a bias before BatchNorm
SHORTER = "the steps become shorter"
SAME = 1e-3  # a norm that changed less is as it was
NORM = "clip_grad_norm_"
SHORTENING = ("clip", "clamp", "unscale_", "step")  # the last one of a GradScaler
FEWEST = 2  # steps or passes, so that no finding rests on one


def norm_of(event: Event) -> float:
    """The norm of what a step took, or a pass brought; 0 where that isn't finite or known."""
    found = event.grad if event.kind == "step" else event.arrived
    return found.norm if found and found.norm and isfinite(found.norm) else 0.0


def rounded_away(case: Case) -> Answer | None:
    """Steps in half precision that changed no number, although gradient and rate are not 0."""
    steps, dtype = steps_of(case), str(case.tensor.dtype).rpartition(".")[2]
    if dtype not in HALF or len(steps) < FEWEST or any(
            event.update != 0 or not event.lr or norm_of(event) < NOISE for event in steps):
        return None
    last = steps[-1]
    return Answer("no change", f"None of the last {len(steps)} steps{place(last.line)} changed a "
                  f"number of {case.name}; the last took a gradient of the norm "
                  f"{norm_of(last):.3g} with the learning rate {last.lr:.4g}. {case.name} is of "
                  f"{dtype}, which keeps few digits: smaller changes are rounded away.",
                  [Fix("Keep the parameters in float32, and compute in half precision under "
                       "autocast().", "twice the memory for them")], [case.tensor], line=last.line)


def no_step_ran(case: Case) -> Answer | None:
    """Passes whose gradients were emptied, each, and no step while the program was watched."""
    events = case.history
    passes = [event for event in events if event.kind == "pass"]
    between = [one.line for one in events if one.kind == "emptied" and passes
               and passes[0].order < one.order < passes[-1].order]
    name, optimizer, _ = (case.training.holders or [("", None, {})])[0]
    # other programs take gradients to look at, and use no optimizer
    if len(passes) + len(between) < len(events) or optimizer is None or optimizer.state or not any(
            line and f"{name}." in ast.unparse(statement_at(line.filename, line.line) or ast.Pass())
            for line in between):
        return None
    line = only_line(part for part in case.program.parts if isinstance(part, ast.Call)
                     for kind, owner in kinds_of(part)
                     if kind == "step" and case.program.held(owner) is optimizer)
    missed = f": its step(){place(line)} was not reached" if line else ""
    return Answer("no step", f"{len(passes)} passes filled {case.name}.grad, which was emptied in "
                  f"between, and {name} took no step while the program was watched{missed}.",
                  [Fix(f"Call `{name}.step()` after backward().", "none")], [case.tensor],
                  line=line or passes[-1].line)


def gives_targets(case: Case) -> Answer | None:
    """A model that was called only while nothing was recorded, and that no step trained."""
    _, own = calls_with(case.tensor) or ("", [])
    calls = own[-1].root.calls() if own else []
    if not calls or case.training.holders or any(one.grad_enabled for one in calls) or any(
            event.kind in ("pass", "step") for event in case.history) or all(
            step.order < calls[0].number for step in steps_of_all()):
        return None
    return Answer("target", f"{case.name}.grad is None: {calls[0].root.name} was called only "
                  f"where nothing was recorded{place(calls[-1].around[0].line)}, and no step took "
                  f"{case.name}, as of a model that gives targets.", line=own[-1].line)


def thrown_away(case: Case) -> Answer | None:
    """Passes of one line, of which steps took a few, as the others were emptied before any step."""
    orders = [step.order for step in steps_of_all()]
    waiting: list[Event] = []
    used: set[Line | None] = set()
    taken, lost, zeroing = 0, list[Event](), None
    for event in case.history:
        if event.kind == "pass":
            waiting += [event] * (not event.in_step)
            taken += event.in_step
            continue
        if event.kind == "written" or event.grad is not None and event.kind == "emptied" and (
                event.grad.norm):  # a step by hand, or a gradient that the program puts there
            return None
        if event.kind == "step":
            used |= {one.line for one in waiting}
            taken += len(waiting)
        else:
            unseen = [one for one in waiting
                      if bisect(orders, one.order) == bisect(orders, event.order)]
            lost, zeroing = lost + unseen, event.line if unseen else zeroing
        waiting = []
    lost = [one for one in lost if one.line in used and norm_of(one)]
    if len(lost) < max(FEWEST, taken) or not all(  # else it may put a sum there
            any(last_name(call.func).startswith(SHORTENING) for call in calls_in(line))
            for line in late_writes(case.tensor)[1]):
        return None
    last = "the last " * (len(case.history) == MOST)
    return Answer("thrown away", f"No step took what {len(lost)} of {last}{len(lost) + taken} "
                  f"passes{place(lost[-1].line)} brought to {case.name}.grad: it was emptied"
                  f"{place(zeroing)} after each of them.",
                  [Fix("Empty gradients after a step alone, so that passes before it add up.",
                       "none, unless the gradients were read in between")],
                  [case.tensor], line=zeroing)


def died_unlimited(case: Case) -> Answer | None:
    """The same of a gradient that was 0 only after such steps, of which some were above the limit.
    """
    first = taken_of(case.tensor).first
    found = not_limited(case, died=True) if first is not None and norm_of(first) else None
    if found is None or found.fixes[0].price != SHORTER:
        return None
    _, model = case.common.model_of.get(id(case.tensor), ("", None))
    cases = (Case(leaf, case.names, case.loss, case.common) for _, leaf in members(model))
    other = case.common.once("unlimited", model, lambda: next(
        filter(None, map(not_limited, cases)), found))
    return found._replace(cause=other.cause, line=other.line)  # so that it is told once


def not_limited(case: Case, died: bool = False) -> Answer | None:
    """Gradients that a line limits after each step or before each pass, and never in between."""
    late, early = late_writes(case.tensor)
    steps = steps_of(case)
    if early or len(steps) < FEWEST or not (died or all(map(norm_of, steps))):
        return None
    fix = "Move that line between backward() and step()."
    if len(late) >= max(FEWEST, len(steps) - 1):
        line = late[-1].line
        return Answer("written late", f"{case.name}.grad was written{place(line)} after each "
                      "step, and emptied before the next: no step took what was written, such as "
                      "a limit of the norm.", [Fix(fix, _price(case, late))], [case.tensor],
                      line=line)
    calls = [call for call, _ in case.program.calls if _limits(case, call, steps[-1].line)]
    line = only_line(calls)
    return line and Answer("not limited", f"{case.name}.grad was limited{place(line)} for none of "
                           f"{len(steps)} steps: each took it as a pass had left it.",
                           [Fix(fix, _price_of_limit(case, calls[0]))], [case.tensor], line=line)


def _price(case: Case, late: list[Late]) -> str:
    """What a line that wrote to gradients does to steps that take what it wrote."""
    changes = [one.left / one.taken - 1 for one in late if one.taken]
    if changes and all(abs(one) < SAME for one in changes):
        norms = max(one.taken or 0 for one in late)
        return (f"with the measured norms nothing changes: it left {case.name}.grad as it was, "
                f"with a norm of at most {norms:.3g}")
    shorter = changes and all(one < SAME for one in changes)
    return SHORTER if shorter else "the steps become others"


def _price_of_limit(case: Case, call: ast.Call) -> str:
    """The same of clip_grad_norm_(model.parameters(), limit), of which nothing was measured."""
    given = [*call.args[1:2], *(one.value for one in call.keywords if one.arg == "max_norm")]
    part = given[0] if given and last_name(call.func) == NORM else ast.Constant(None)
    limit = part.value if isinstance(part, ast.Constant) else case.program.value(part)
    model = case.program.held(call.args[0].func.value)  # type: ignore[attr-defined]
    taken = [[norm_of(one) for one in history_of(leaf) if one.kind == "step"]
             for _, leaf in members(model)]
    norms = [sum(one * one for one in step) ** 0.5 for step in zip(*filter(None, taken))]
    if not isinstance(limit, (int, float)) or len(call.args) > 2 or len(call.keywords) > 1:
        return "steps whose gradients are above the limit become shorter"
    if max(norms, default=0) > limit:
        return SHORTER
    return (f"with the measured norms nothing changes: the largest was {max(norms, default=0):.3g},"
            f" and the limit is {limit:.3g}")


def limited_while_scaled(case: Case) -> Answer | None:
    """A limit that was set to gradients which still held the factor of a GradScaler or a loss."""
    found = [one for one in scaled_of(case.tensor) if _is_limit(case, one)]
    if not found:
        return None
    last, name = found[-1], case.name
    call = next((one for one in calls_in(last.divided)
                 if last_name(one.func) in ("step", "unscale_") and one.args), None)
    scaler, optimizer = ("scaler", "optimizer") if call is None else (
        ast.unparse(getattr(call.func, "value", call.func)), ast.unparse(call.args[0]))
    factor = f"{last.factor:g} {'of the GradScaler' if last.by_scaler else 'of the loss'}"
    fix = f"Call `{scaler}.unscale_({optimizer})` before that line." if last.by_scaler else (
        f"Divide by {last.factor:g} before that line, and not after it.")
    return Answer("limited while scaled",
                  f"{name}.grad was limited{place(last.line)} while it still held the factor "
                  f"{factor}: its norm fell from {last.after_pass:.3g} to "
                  f"{last.limited:.3g} there, and to {last.limited / last.factor:.3g} when the "
                  f"factor was divided out{place(last.divided)}.",
                  [Fix(fix, "none")],
                  [case.tensor], line=last.line)


def _is_limit(case: Case, one: Scaled) -> bool:
    """Whether a line limits something, by a limit in which no scale is written."""
    calls = [one for one in calls_in(one.line) if last_name(one.func).startswith(("clip", "clamp"))]
    names = [part.id for call in calls for part in ast.walk(call) if isinstance(part, ast.Name)]
    made = filter(None, map(case.program.assigned, names))
    parts = [*calls, *(origin.expression for origin in made)]
    inside = [part for outer in parts for part in ast.walk(outer)]
    return bool(calls) and "scale" not in " ".join(map(ast.unparse, parts)) and not any(
        isinstance(part, ast.BinOp) or type(value := case.program.held(part)) in (int, float)
        and value == one.factor for part in inside if isinstance(part, ast.expr))


def calls_in(line: Line | None) -> list[ast.Call]:
    statement = statement_at(line.filename, line.line) if line is not None else None
    return [part for part in parts_of(statement or ast.Pass()) if isinstance(part, ast.Call)]


def _limits(case: Case, call: ast.Call, step: Line | None) -> bool:
    """Whether a call in the loop of the steps limits the gradients of the tensor's model."""
    if not last_name(call.func).startswith("clip_grad_"):
        return False
    of = getattr(call.args[0], "func", None) if call.args else None
    model = case.program.held(of.value) if isinstance(of, ast.Attribute) else None
    loop = next((outer for _, outer in around(call) if isinstance(outer, LOOPS)), None)
    return (is_model(model) and getattr(of, "attr", "") == "parameters"
            and case.common.holds(model, case.tensor) and has_run(case.program, call)
            and loop is not None and step is not None and line_of(loop).filename == step.filename
            and loop.lineno <= step.line <= (loop.end_lineno or 0))
