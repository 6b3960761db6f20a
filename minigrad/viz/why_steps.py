"""For `why`: gradients that add up over passes, and parameters that no step changes."""
from __future__ import annotations

from . import records
from .evidence import Answer, Case, place
from .explain_lines import line_words
from .explanation import Fix
from .facts import numbers, version_of
from .places import line_of


def doubled(case: Case) -> Answer | None:
    """A gradient that was written to, where the text calls backward() again without emptying it."""
    count, name = version_of(case.tensor.grad) or 0, case.name
    event = case.training.adding() if count else None
    if event is None or not event.loops and count < case.uses:  # one pass sums over the uses in place, too
        return None
    seen = dict.fromkeys(line_words(line) for _, line in records.writes_of(case.tensor.grad) or ())
    more = f"watch() saw these writes: {'; '.join(seen)}." if len(seen) > 1 else (
        "A write may also be something else, such as clipping: watch() records the line of each.")
    times = "once" if count == 1 else f"{count} times"
    holder = next((held for held, _, _ in case.training.holders), None)
    empty = f"{holder}.zero_grad()" if holder else f"{case.code}.grad = None"
    return Answer("doubled", f"{name}.grad is a sum over passes: it has been written to in place {times} "
                  f"since it was made, and nothing empties it between one backward(){place(event.line)} and "
                  "the next.",
                  [Fix(f"Write `{empty}` before each backward().",
                       "none, unless gradients are meant to add up over several batches")], [case.tensor],
                  more=more)


def not_held(case: Case) -> Answer | None:
    """Optimizers, none of which holds the tensor."""
    if case.training.holders or not (names := case.training.strangers):
        return None
    which = f"{names[0]} does not hold" if len(names) == 1 else f"None of {', '.join(names)} holds"
    return Answer("no optimizer", f"{which} {case.name}{made(case, names[0])}, so no step() of "
                  f"{names[0] if len(names) == 1 else 'theirs'} changes it.",
                  [Fix(f"Call `{names[0]}.add_param_group({{'params': [{case.code}]}})`, or make the "
                       "optimizer from all parameters, after the model is complete.",
                       "the memory for its averages, such as Adam's")], [case.tensor])


def made(case: Case, name: str) -> str:
    """The line that made an optimizer."""
    assigned = case.program.assigned(name)
    return place(line_of(assigned.expression)) if assigned else ""


def rate_zero(case: Case) -> Answer | None:
    rates = [group["lr"] for _, _, group in case.training.holders if "lr" in group]
    if not rates or any(float(rate) for rate in rates):
        return None
    name = case.training.holders[0][0]
    return Answer("lr 0", f"The learning rate of {case.name} in {name}{made(case, name)} is 0, so step() "
                  "leaves it as it is.", [Fix("Give its group a rate above 0, `group['lr'] = 0.01`, and look "
                                    "at the scheduler, if there is one.", "none")], [case.tensor])


def step_without(case: Case) -> Answer | None:
    """Every step() comes after something that empties the gradients, and before the next backward()."""
    steps = [event for event in case.training.of_kind("step") if case.training.holds(event)]
    early = [case.training.before(event) for event in steps]
    if not steps or not all(one and one.kind == "empty" for one in early):
        return None
    return Answer("step without gradient", f"step(){place(steps[-1].line)} never finds a gradient of "
                  f"{case.name}: the gradients are emptied{place(early[-1].line)}, and no backward() comes "
                  "between.",
                  [Fix("Write the calls in this order: zero_grad(), backward(), "
                       "step().", "none")], [case.tensor])


def no_step(case: Case) -> Answer | None:
    if not case.training.holders or case.training.says("step"):
        return None
    name = case.training.holders[0][0]
    return Answer("no step", f"{case.name}.grad is there, and {name} holds {case.name}, but no line here "
                  f"calls {name}.step().", [Fix(f"Call `{name}.step()` after backward().", "none")])


def healthy(case: Case) -> Answer:
    found, facts = numbers(case.tensor.grad), ["", ""]
    if found and found.size:
        facts[0] = f": {found.size} finite number{'s' * (found.size != 1)}, the largest {found.largest:.4g}"
    for name, _, group in case.training.holders[:1]:
        facts[1] = f"; {name} holds {case.name} with lr {group.get('lr')}"
    count = version_of(case.tensor.grad) or 0
    more = (f"It has been written to in place {count} time{'s' * (count > 1)} since it was made: each pass "
            "adds to it until zero_grad(), and clipping writes to it, too.")
    more *= count >= max(1, case.uses)
    said = f"{case.name}.grad is there, and nothing wrong was found{''.join(facts)}."
    return Answer("healthy", said, more=more)
