"""Steps of optimizers: each leaf's gradient, learning rate and change, and the numbers of steps."""
from typing import Any

from . import history
from .here import here, measured
from .records import line_here


@measured
def begins(optimizer: Any) -> None:
    """An optimizer begins its step; one that calls the step of its base class takes one step."""
    inside = any(one is optimizer for one, _ in here.steps)
    here.steps.append((optimizer, None if inside else history.before_step(optimizer)))


@measured
def ends(optimizer: Any) -> None:
    while here.steps:
        one, held = here.steps.pop()
        if one is optimizer:
            break
    else:
        return
    if held is None:
        return
    name = next(filter(None, (one.name_of(optimizer) for one in here.watches)), "")
    step = history.after_step(optimizer, held, line_here(), name)
    if step is not None:
        for one in list(here.watches):
            one.stepped(optimizer, step)
