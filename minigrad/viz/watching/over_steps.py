"""How the norms of a run went over its steps, in memory that doesn't grow with them."""
from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Reversible, Sequence
from contextlib import suppress
from itertools import islice, takewhile
from typing import Any, NamedTuple

from ..graph.facts import number
from .calls import Call
from .events import Event, Step
from .large import norm_of
from .parts import Part, norm_over, parts_of

MOST = 128  # points of a line; of more, every second one goes, so that twice as many steps fit
FEWEST = 3  # steps; of fewer, the table of parameters says all
GRADIENT, UPDATE = "gradient", "update / size"  # of a parameter
OUTPUT, ARRIVED = "output", "gradient at the output"  # of a module
IN_A_STEP = (OUTPUT, ARRIVED, GRADIENT, UPDATE)  # the order in which they come about


def root_mean_square(tensors: list[Any]) -> float | None:
    """Over all floating-point numbers of some tensors; None where there are none. Unlike the norm,
    it doesn't grow with the batch.
    """
    with suppress(Exception):  # a meta tensor, or one that refuses
        found = [(norm_of(one), size) for one in tensors
                 if one.is_floating_point() and (size := one.numel())]
        return math.hypot(*(norm for norm, _ in found)) / math.sqrt(sum(n for _, n in found))
    return None


def _returned(part: Part) -> float:
    """When the first of its calls returned that gave something not finite, or else its last one."""
    bad = (one for one in part.calls if one.output is not None and not math.isfinite(one.output))
    call = next(bad, part.last)
    return call.started + call.seconds


def _output(calls: Sequence[Call]) -> float | None:
    """The root mean square over all that some calls returned."""
    if len(calls) == 1:
        return calls[0].output
    found = [(one.output, sum(map(math.prod, one.outputs)))
             for one in calls if one.output is not None]
    size = sum(size for _, size in found)
    return math.hypot(*(value * math.sqrt(of / size) for value, of in found)) if size else None


class Points:
    """One number in each step. The largest and the last are kept, and where it broke."""

    def __init__(self) -> None:
        self.steps, self.values = array("l"), array("d")
        self.every, self.count = 1, 0
        self.first = self.last = self.most = (0, math.nan)
        self.broke = 0  # the first step with NaN or infinity; 0: none
        self.zero_since = 0  # the first of the steps up to the last one that all have 0

    def add(self, step: int, value: float) -> None:
        self.last = step, value
        if not self.count:
            self.first = self.last
        if not math.isfinite(value):
            self.broke = self.broke or step
        elif not value <= self.most[1]:  # so it is, too, while nothing is known
            self.most = self.last
        self.zero_since = (self.zero_since or step) if value == 0 else 0
        if self.count % self.every == 0:
            self.steps.append(step)
            self.values.append(value)
        self.count += 1
        if len(self.steps) > MOST:
            self.steps, self.values, self.every = self.steps[::2], self.values[::2], 2 * self.every

    def __iter__(self) -> Iterator[tuple[int, float]]:
        """(step, value) of what is kept, and of the last step."""
        yield from zip(self.steps, self.values, strict=True)
        if self.steps and self.steps[-1] != self.last[0]:
            yield self.last

    @property
    def died(self) -> int:
        """The step from which on all numbers are 0, after others; 0: they aren't."""
        return self.zero_since if self.zero_since > self.first[0] else 0

    def words(self) -> str:
        """`0.53, at most 340 (step 12), at last 0.02`."""
        (step, most), first, last = self.most, self.first[1], self.last[1]
        found = [number(first)] * math.isfinite(first)
        if math.isfinite(most) and most not in (first, last):
            found.append(f"at most {number(most)} (step {step})")
        if self.broke:
            since = "in" if math.isfinite(last) else "from"
            found.append(f"not finite {since} step {self.broke}")
        if math.isfinite(last) and self.count > 1:
            found.append(f"at last {number(last)}")
        if self.died:
            found.append(f"0 from step {self.died}")
        return ", ".join(found)


class Track(NamedTuple):
    """A parameter or a module, and its two lines by what they measure."""

    name: str
    lines: dict[str, Points]

    @property
    def rank(self) -> tuple[float, ...]:
        """What broke first comes first, then what became 0, then what grew most."""
        broke = min(((line.broke, IN_A_STEP.index(kind)) for kind, line in self.lines.items()
                     if line.broke), default=(math.inf, 0))
        zero = min((line.died for line in self.lines.values() if line.died), default=math.inf)
        grew = max((line.most[1] / line.first[1] for line in self.lines.values()
                    if line.first[1] > 0 and math.isfinite(line.first[1])), default=0)
        return *broke, zero, -grew


class OverSteps:
    """Gradient and update of each parameter, output and its gradient of each module, by step."""

    def __init__(self) -> None:
        self.count = 0
        self.parameters: dict[str, Track] = {}
        self.modules: dict[str, Track] = {}
        self.broke: list[tuple[int, str, str]] = []  # what broke first: step, kind, name
        self.reached = 0  # the last pass before the last step

    def add(self, parameters: Iterable[tuple[str, Event]], calls: Reversible[Call],
            steps: Sequence[Step]) -> None:
        """An optimizer has taken the last of these steps."""
        self.count += 1
        parameters = list(parameters)
        parts = parts_of(self._calls(calls, steps))
        self.reached = max([self.reached, *(part.last.of_pass for part in parts)])
        # a module returns after the parts that it calls
        parts.sort(key=_returned)
        for part in parts:
            self._note(self.modules, part.path, OUTPUT, _output(part.calls))
        for part in parts:
            self._note(self.modules, part.path, ARRIVED, norm_over(part.calls, "grad_out"))
        for name, event in parameters:
            self._note(self.parameters, name, GRADIENT, event.grad and event.grad.norm)
        for name, event in parameters:
            self._note(self.parameters, name, UPDATE, event.ratio)

    def _calls(self, calls: Reversible[Call], steps: Sequence[Step]) -> list[Call]:
        """The calls of modules since the step before, but for evaluations between the two.

        Where several optimizers take turns, a pass may have come to earlier calls since then.
        """
        before = steps[-2].order if len(steps) > 1 else 0
        own = next((one.order for one in islice(reversed(steps), 1, None)
                    if (one.name, one.optimizer) == (steps[-1].name, steps[-1].optimizer)), 0)
        found = takewhile(lambda call: call.number > own, reversed(calls))
        return [call for call in found if call.grad_enabled and (
            call.number > before or call.of_pass > self.reached)][::-1]

    def _note(self, tracks: dict[str, Track], name: str, kind: str, value: float | None) -> None:
        if value is None:
            return
        track = tracks.get(name) or tracks.setdefault(name, Track(name, {}))
        (track.lines.get(kind) or track.lines.setdefault(kind, Points())).add(self.count, value)
        if not math.isfinite(value) and (not self.broke or self.broke[0][:2] == (self.count, kind)):
            self.broke.append((self.count, kind, name))

    def worst_first(self, tracks: dict[str, Track]) -> list[Track]:
        return sorted(tracks.values(), key=lambda track: track.rank)

    def _gradients(self) -> list[tuple[str, Points]]:
        return [(track.name, track.lines[GRADIENT]) for track in self.parameters.values()
                if GRADIENT in track.lines]

    def opening(self) -> str:
        always = sum(line.zero_since == line.first[0] for _, line in self._gradients())
        more = f" Of {always}, it was 0 in every step." * bool(always)
        return self.trouble() or (f"In {self.count} steps, no norm became NaN or infinite, and no "
                                  f"parameter's gradient became 0 for good.{more}")

    def silent(self) -> list[str]:
        """The parameters whose gradient was 0 when the last step took it."""
        return [name for name, line in self._gradients() if line.zero_since]

    def trouble(self) -> str:
        """The step at which something broke, and what broke in it; "" where nothing did."""
        if self.broke:
            (step, kind, name), others = self.broke[0], len(self.broke) - 1
            # outputs are noted in the order in which they came about; for gradients it isn't known
            more = f" and of {others} more" if others and kind != OUTPUT else ""
            return ("The first measured output, gradient or update with NaN or infinity was in "
                    f"step {step} of {self.count}: the {kind} of {name}{more}.")
        silent = [(line.died, name, line.last[0]) for name, line in self._gradients() if line.died]
        if silent:
            since, name, last = min(silent)
            more = f" It was so for {len(silent) - 1} more." if len(silent) > 1 else ""
            return f"The gradient of {name} was 0 from step {since} to step {last}.{more}"
        return ""
