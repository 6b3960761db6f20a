"""For `why`: a network whose first results lie at the flat ends of tanh and sigmoid."""
from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from ..drawing.explanation import Fix
from ..graph.modules import inner_modules
from ..watching.starts import Start, Weight, start_of
from .answer import Answer, place
from .equal_rows import filled_at
from .evidence import Case

FAR = 3.0  # times the loss of equal scores
LARGE, LARGE_INPUT = 2.0, 3.0  # times the usual standard deviation; a root mean square
NAMED = 3
ENDS = {"Tanh": "beyond 0.97", "Sigmoid": "below 0.015 and above 0.985"}
RANDOM = ("normal_", "uniform_", "trunc_normal_")
OTHER = "training starts from other numbers"


def starts_saturated(model: Any, cases: Sequence[Case]) -> Iterator[Answer]:
    """A first pass in which most results of tanh and sigmoid were flat, and the loss was large."""
    starts = {id(one): one for case in cases if (one := start_of(case.tensor)) is not None}
    for start in starts.values():
        if start.loss > FAR * math.log(start.classes):
            by_id = {id(case.tensor): case for case in cases}
            rows = [(by_id[id(one.leaf())], one) for one in start.weights
                    if id(one.leaf()) in by_id]
            large = [(case, one) for case, one in rows if one.std > LARGE * one.usual]
            given = [(case, one) for case, one in rows if (one.taken or 0) > LARGE_INPUT]
            if large:
                yield _of_weights(model, start, large)
            elif given:
                yield _of_inputs(start, given[0])


def _of_weights(model: Any, start: Start, rows: list[tuple[Case, Weight]]) -> Answer:
    told = [f"{case.name} {one.std:.3g}, where 1 / sqrt({one.fan_in}) is {one.fan_in ** -0.5:.3g} "
            "and Xavier's standard deviation "
            f"{(2 / (one.fan_in + one.fan_out)) ** 0.5:.3g}" for case, one in rows[:NAMED]]
    more = [f"{len(rows) - NAMED} more weights are as large against theirs"] * (len(rows) > NAMED)
    first = rows[0][0]
    module = next((one for one in inner_modules(model).values() if any(
        own is first.tensor for own in vars(one)["_parameters"].values())), model)
    line = filled_at(first, module, RANDOM)
    where = f" {first.name} was filled{place(line)}." if place(line) else ""
    names = " and ".join(f"`nn.init.xavier_uniform_({case.code})`" for case, _ in rows[:NAMED])
    others = ", and the same for the others" * (len(rows) > NAMED)
    return Answer("starts saturated", f"{_opening(start)} These weights were large by their "
                  f"standard deviation: {'; '.join([*told, *more])}.{where}",
                  [Fix(f"Begin with smaller weights: {names}{others}.", OTHER)],
                  [case.tensor for case, _ in rows], line=line)


def _of_inputs(start: Start, row: tuple[Case, Weight]) -> Answer:
    case, one = row
    return Answer("starts saturated", f"{_opening(start)} What {case.name} was multiplied by had "
                  f"the root mean square {one.taken:.3g}, and its standard deviation was usual, "
                  f"{one.std:.3g}.",
                  [Fix("Bring these inputs nearer to 0: subtract the mean of the data and divide "
                       "by their standard deviation.", "another function is trained")],
                  [case.tensor])


def _opening(start: Start) -> str:
    kinds = list(dict.fromkeys(start.operations))
    named = " and ".join(f"{start.operations.count(kind)} {kind}Backward0" for kind in kinds)
    named = f"each of {named}" if len(start.operations) > 1 else named
    least = "at least " * named.startswith("each")
    ends = " and ".join(f"{ENDS[kind]} of {kind.lower()}" for kind in kinds)
    return (f"In the first pass that was watched, {least}{100 * start.flat:.0f} % of the results "
            f"of {named} were at the flat ends ({ends}), and the mean cross-entropy of the rows "
            f"was {start.loss:.3g}, while equal scores for {start.classes} classes have "
            f"log({start.classes}), {math.log(start.classes):.3g}.")
