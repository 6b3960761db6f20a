"""For `why`: what the recorded calls and steps tell of a gradient that is None."""
from __future__ import annotations

from ..drawing.explanation import Fix
from ..watching.calls import calls_with
from ..watching.history import history_of
from . import steps
from .evidence import Answer, Case, place
from .numbers import CLEAN

MEMORY = "what the operations save stays in memory until the pass"


def by_calls(case: Case) -> Answer | None:
    """What the watched calls of a parameter's module tell, where no pass reached it."""
    known = calls_with(case.tensor)
    if known is None or any(event.kind == "pass" for event in history_of(case.tensor)):
        return None
    path, calls = known
    name = case.name
    fixes = [Fix(f"Use {path} in the forward computation, or take it out of the model.", "none")]
    if not calls:
        return Answer("not used", f"{name}.grad is None: {path} was not called while the program "
                      f"was watched, and no pass reached {name}.", fixes, [case.tensor])
    call = calls[-1]
    opening = f"{name}.grad is None: {path} was called{place(call.line)}"
    if not call.grad_enabled:
        return Answer("cut", f"{opening}, where nothing was recorded, as under no_grad.",
                      [Fix("Call it while operations are recorded.", MEMORY)], [case.tensor],
                      line=call.line)
    for later in call.root.calls():
        for source, had_history in later.sources:
            if had_history and later.number > call.number and (
                    source in call.around or source.number > call.number):
                found = (f"What {source.path} returned went into {later.path}{place(later.line)} "
                         "without its history, as after detach() or .data.")
                return Answer("cut", f"{opening}, and no pass reached {name}. {found}",
                              [Fix("Pass it on with its history.", MEMORY)], [case.tensor],
                              line=later.line)
    return Answer("not used", f"{opening}, and no pass reached {name}.", [], [case.tensor],
                  line=call.line)


def found_by_step(case: Case) -> Answer | None:
    """What was wrong with a gradient when the last step took it; it has been emptied since then."""
    step = next((one for one in reversed(history_of(case.tensor)) if one.kind == "step"), None)
    if step is None or step.grad is None:
        return None
    grad, bad = step.grad, step.grad.nans + step.grad.infinite
    if bad:
        return Answer("nan", f"{bad} of {grad.size} numbers in {case.name}.grad were NaN or "
                      f"infinite when a step{place(step.line)} took them.", [CLEAN], [case.tensor],
                      line=step.line)
    if grad.norm == 0 and grad.size:
        return Answer("zero", f"Every number of {case.name}.grad was 0 when a step"
                      f"{place(step.line)} took it.", [], [case.tensor], more=case.looked_at(),
                      line=step.line)
    last = history_of(case.tensor)[-1]
    return steps.no_rate(case) or steps.doubled(case) or Answer(
        "emptied", f"A step{place(step.line)} took {case.name}.grad, and since then it was emptied"
        f"{place(last.line if last.kind == 'emptied' else None)}.",
        [Fix(f"Read {case.name}.grad after backward() and before zero_grad().", "none")])
