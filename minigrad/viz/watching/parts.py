"""What a run says of each module: its last call, how often it was called, and its parts."""
from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..drawing.text_twin import bytes_of
from ..drawing.work import shapes
from ..graph.facts import number
from .calls import Call


class Part(NamedTuple):
    """A module in the calls of a run, with its path, and the depth at which it was called first."""

    path: str
    depth: int
    calls: list[Call]  # without those that a checkpoint made again
    again: int  # how many those are

    @property
    def last(self) -> Call:
        """The last call that a pass has reached, or else the last one."""
        return next((call for call in reversed(self.calls) if call.of_pass), self.calls[-1])

    @property
    def title(self) -> str:
        return f"{self.path} ({self.last.kind})"

    def words(self) -> str:
        """`(5, 3) to (5, 4), 16 parameters, saves 60 bytes ...`"""
        call, count = self.last, len(self.calls)
        facts = [f"{shapes(call.inputs)} to {shapes(call.outputs)}"]
        if call.parameters:
            frozen = "" if call.frozen == call.parameters else f"{call.frozen:,} "
            facts.append(f"{call.parameters:,} parameter{'s' * (call.parameters != 1)}")
            then = " in the last pass" * any(one.frozen != call.frozen for one in self.calls)
            facts += [f"{frozen}frozen{then}"] * bool(call.frozen)
        facts += [f"saves {bytes_of(call.saved or 0)}"] * bool(call.saved)
        facts += gradient_words([one for one in self.calls if one.of_pass == call.of_pass])
        digits = 1 if call.seconds >= 0.01 else 2
        facts.append(f"{1000 * call.seconds:.{digits}f} ms")
        facts += [f"called {count} times"] * (count > 1)
        facts += ["computed again in the backward pass"] * (self.again > 0)
        facts += ["in evaluation mode"] * (not call.training)
        facts += ["under no_grad"] * (not call.grad_enabled)
        facts += dict.fromkeys(f"cut off from {source.path}" for source, cut in call.sources if cut)
        facts += ["not registered in the module that calls it"] * (not call.registered)
        return ", ".join(facts + ["it raised an error"] * call.raised)


def parts_of(calls: Iterable[Call]) -> list[Part]:
    """The modules in the order in which they were called first; parts after what called them."""
    found: dict[str, Part] = {}
    again: dict[str, int] = {}
    for call in calls:
        if call.recomputed:
            again[call.path] = again.get(call.path, 0) + 1
        else:
            depth = len(call.around) - 1
            found.setdefault(call.path, Part(call.path, depth, [], 0)).calls.append(call)
    return [part._replace(again=again.get(part.path, 0)) for part in found.values()]


def which_calls(remembered: int, in_all: int) -> str:
    """Which calls the counts of the modules are of, where not all are remembered."""
    return f", in the last {remembered:,} calls" * (remembered < in_all)


def norm_over(calls: Sequence[Call], end: str) -> float | None:
    """The norm of the gradients of some calls, together; `end` is "grad_out" or "grad_in"."""
    found = [grad.norm for call in calls if (grad := getattr(call, end)) and grad.norm is not None]
    return math.hypot(*found) if found else None


def gradient_words(calls: Sequence[Call]) -> list[str]:
    """Of the calls of a module in one pass."""
    ends = (("output", norm_over(calls, "grad_out")), ("input", norm_over(calls, "grad_in")))
    known = [f"{number(norm)} at its {end}" for end, norm in ends if norm is not None]
    over = f", over {len(calls)} calls in one pass" * (len(calls) > 1)
    return [f"gradient norm {' and '.join(known)}{over}"] if known else []
