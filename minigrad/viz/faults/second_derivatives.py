"""For `why`: derivatives of derivatives that are 0 everywhere, or sums of several."""
from __future__ import annotations

from collections.abc import Iterator

from ..drawing.explanation import Fix
from ..watching.derivatives import seconds_of
from ..watching.measured import counted
from .answer import Answer, place
from .evidence import Case

FEWEST = 2  # calls; one may have met a point where it is 0


def second_derivatives(cases: list[Case]) -> Iterator[Answer]:
    """What is wrong with the calls of grad() that a model's parameters were part of."""
    known = {found[0]: found for case in cases for found in seconds_of(case.tensor)}
    for one, calls, zeros, pieces in known.values():
        many = f"In {counted(calls, 'call', 'calls')} of grad(){place(one.line)} that"
        if zeros == calls >= FEWEST and pieces:
            yield Answer("no second derivative",
                         f"{many} computed derivative {one.of} of a result, all numbers that came "
                         f"out were 0: the result was computed with {pieces}, whose slope is "
                         "constant in pieces, so it has none.",
                         [Fix("Use a smooth function in its place, such as tanh or softplus.",
                              "another network is trained")], line=one.line)
        if one.columns:
            yield Answer("summed derivatives",
                         f"{many} differentiated the sum of {one.columns} columns of a gradient by "
                         "the same input, each column of the result is the sum of "
                         f"{one.columns} second derivatives, with the mixed ones.",
                         [Fix("Differentiate one column i at a time, and take column i: "
                              "`grad(g[:, i].sum(), x, create_graph=True)[0][:, i]`.",
                              f"{one.columns} passes in place of one")], line=one.line)
