"""What is said of a gradient in which nothing wrong was found, and where that isn't known."""
from __future__ import annotations

from ..program.custom_functions import unchecked_words
from .answer import Answer, place
from .evidence import Case
from .extreme_numbers import WATCH
from .parameters import own_backwards


def healthy(case: Case) -> Answer:
    found, held = case.common.numbers(case.tensor.grad), ""
    if found is not None and found.norm is None:
        return Answer("not known", f"{case.name}.grad is there, and its numbers can't be read.")
    norm = "" if found is None else f": its norm is {found.norm:.4g}"
    for name, _, group in case.training.holders[:1]:
        held = f"; {name} holds {case.name} with lr {group.get('lr')}"
        risen = any(event.lr for event in case.history if event.kind == "step")
        if not group.get("lr") and group.get("initial_lr") and not risen:
            return Answer("not known", f"{case.name}.grad is there{held}, to which a "
                          f"schedule has brought it from {group['initial_lr']}: a step() now "
                          "doesn't change it. That is meant if the schedule has ended; whether "
                          "earlier steps had a rate above 0 is not known.", [WATCH])
    steps, empties = ([one for one in case.training.unrolled() if one.kind == kind]
                      for kind in ("step", "empty"))
    if steps and all(one.unsure for one in steps) and not case.was_watched and (
            any(not one.unsure for one in empties)):
        return Answer("not known", f"{case.name}.grad is there{held}. Its step()"
                      f"{place(steps[0].line)} is in a branch, and what empties the gradient is "
                      "not: how many passes a step took is not known.", [WATCH],
                      line=steps[0].line)
    return Answer("healthy", f"{case.name}.grad is there, and nothing wrong was found{norm}{held}.",
                  more=unchecked_words(own_backwards(case)))
