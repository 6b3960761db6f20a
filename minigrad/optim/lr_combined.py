"""Several schedulers for one optimizer: one after the other, or all at once."""
from __future__ import annotations

from bisect import bisect_right

from .lr_scheduler import LRScheduler, ReduceLROnPlateau, copied, set_rate


class Combined(LRScheduler):
    """What both kinds share: the checks, and the state of the schedulers within."""

    def check(self, optimizer, schedulers, purpose):
        name = type(self).__name__
        if len(schedulers) < 1:
            raise ValueError(f"{name} expects at least one scheduler{purpose}, but got no scheduler.")
        optimizer = optimizer or schedulers[0].optimizer
        for i, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(f"{name} does not support `ReduceLROnPlateau` scheduler as it requires "
                                 "additional kwargs to be specified when calling `step`, but got one at "
                                 f"index {i} in the given schedulers sequence.")
            if optimizer != scheduler.optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(scheduler).__name__} at index {i} has {scheduler.optimizer}, which is different "
                    f"from {type(optimizer).__name__}.")
        self._schedulers, self.optimizer = schedulers, optimizer

    def state_dict(self):
        """All that the scheduler and those within remember."""
        state = super().state_dict()
        state["_schedulers"] = [scheduler.state_dict() for scheduler in self._schedulers]
        return state

    def load_state_dict(self, state_dict):
        """Take over what `state_dict` made."""
        super().load_state_dict({name: v for name, v in state_dict.items() if name != "_schedulers"})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"]):
            scheduler.load_state_dict(state)


class SequentialLR(Combined):
    """One scheduler after the other; the next takes over at each of the epochs in `milestones`."""

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        self.check(optimizer, schedulers, "")
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number "
                f"of milestone points, but got number of schedulers {len(schedulers)} and the number of "
                f"milestones to be equal to {len(milestones)}")
        self._milestones, self.last_epoch = milestones, last_epoch + 1
        for group in optimizer.param_groups:
            set_rate(group, copied(group["initial_lr"]))
        taken_back(self)                # each scheduler made its first step when it was made
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def step(self):
        """Set the rates of the next epoch."""
        self.last_epoch += 1
        place = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[place]
        if place > 0 and self._milestones[place - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


def taken_back(scheduler):
    """Set a scheduler, and those within it, back by an epoch."""
    if hasattr(scheduler, "_schedulers"):
        for inner in scheduler._schedulers:
            taken_back(inner)
    elif hasattr(scheduler, "last_epoch"):
        scheduler.last_epoch -= 1


class ChainedScheduler(Combined):
    """All schedulers at once: each changes the rates that the one before has set."""

    def __init__(self, schedulers, optimizer=None):
        self.check(optimizer, schedulers, " to be chained")
        self._last_lr = self.current()

    def step(self):
        """Let each scheduler make a step."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self.current()
