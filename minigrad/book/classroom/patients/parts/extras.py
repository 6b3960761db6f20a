"""Extras: what a script may have beside the plain loop. Each says where its lines go."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Extra:
    """Lines that are added at places: {place: text}. The place "setup" is before the loop, "end" after it."""

    name: str
    lines: Mapping[str, str]
    gives: str = ""
    needs: str = ""
    avoids: str = ""
    slots: Mapping[str, Sequence[object]] = field(default_factory=dict)
    group: str = ""  # of several extras of a group, a script has one at most

    def fits(self, traits: frozenset[str]) -> bool:
        """Whether a script with these traits may have it."""
        return traits >= set(self.needs.split()) and not traits & set(self.avoids.split())


EXTRAS = (
    Extra("average", {"setup": """
average = [p.detach().clone() for p in model.parameters()]    #: average
""", "after_step": """
with torch.no_grad():
    for a, p in zip(average, model.parameters()):
        a.mul_($keep).add_(p, alpha=1 - $keep)    #: averaging
""", "end": """
with torch.no_grad():
    for a, p in zip(average, model.parameters()):
        p.copy_(a)    #: averaged
"""}, gives="average", avoids="norm", slots={"keep": (0.9, 0.95)}, group="weights"),
    Extra("best", {"setup": """
check_x, check_y = x[-40:], y[-40:]    #: check_rows
x, y = x[:-40], y[:-40]
lowest, best = float("inf"), None
""", "after_epoch": """
with torch.no_grad():
    check = loss_of(check_x, check_y).item()    #: check
if check < lowest:
    lowest = check
    best = {name: t.clone() for name, t in model.state_dict().items()}    #: best
""", "end": """
model.load_state_dict(best)    #: restored
"""}, gives="best", avoids="small modes sorted", group="weights"),
    Extra("step_schedule", {"setup": """
schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=$third, gamma=0.5)    #: schedule
""", "after_epoch": """
schedule.step()    #: schedule_step
"""}, gives="schedule", needs="batches", avoids="two", group="rate"),
    Extra("decay", {"head": """
decay = 0.95    # of the rate, after each epoch    #: decay
""", "setup": """
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=decay)    #: schedule
""", "after_epoch": """
schedule.step()    #: schedule_step
"""}, gives="schedule decay", needs="batches", avoids="two", group="rate"),
    Extra("new_head", {"head": """
new_head = nn.Linear($width, $outputs)
nn.init.zeros_(new_head.weight)    # at first the same output for every row
model[-1] = new_head    #: set_head
"""}, gives="new_head", needs="sequential"),
    Extra("clip", {"after_pass": """
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.)    #: clip
"""}, gives="clip", avoids="clamp"),
    Extra("jitter", {"after_slice": """
inputs = inputs + $jitter * torch.randn(inputs.shape)    #: jitter
"""}, gives="jitter", needs="slices", slots={"jitter": (0.05, 0.1)}),
    Extra("halving", {"after_epoch": """
for group in optimizer.param_groups:    # halve the rate every 10 epochs
    group["lr"] = $first_rate * 0.5 ** (epoch // 10)    #: halving
"""}, gives="halving", needs="batches one", avoids="function digits", group="rate"),
    Extra("penalty", {"after_loss": """
penalty = sum((p ** 2).sum() for p in model.parameters())    #: penalty
loss = loss + $share * penalty    #: penalized
"""}, gives="penalty", slots={"share": (0.001, 0.002, 0.005)}, group="penalty"),
    Extra("norm_penalty", {"after_loss": """
penalty = sum(p.norm() for p in model.parameters())    #: penalty_norm
loss = loss + 0.002 * penalty    #: penalized
"""}, gives="norm_penalty", group="penalty"),
    Extra("clamp", {"after_pass": """
for p in model.parameters():    # no gradient larger than 0.5
    p.grad.clamp_(-0.5, 0.5)    #: clamp
"""}, gives="clamp", avoids="clip"),
    Extra("curve", {"setup": """
curve = []
""", "after_epoch": """
model.eval()    #: eval_in_loop
with torch.no_grad():
    curve.append(loss_of(test_x, test_y).item())    #: curve
model.train()    #: back_to_train
""", "end": """
print("lowest test loss", round(min(curve), 3))
"""}, gives="curve", needs="modes", group="curve"),
)
