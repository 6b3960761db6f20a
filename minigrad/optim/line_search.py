"""How far to go along a direction, by the strong Wolfe conditions.

There the loss has fallen enough, and its slope has flattened enough (Nocedal and Wright, chapter 3).
"""
from __future__ import annotations

from typing import NamedTuple

from ..tensor import Tensor

FALLEN, FLATTENED = 1e-4, 0.9       # as shares of the first slope: c1 and c2 of the textbooks


class Point(NamedTuple):
    """A length, with the loss, the gradient and the slope found there."""

    length: float
    loss: float
    gradient: Tensor | None
    slope: Tensor


def strong_wolfe(look, length, direction, loss, gradient, slope, tolerance, most):
    """Search from the first `length` on, looking at most `most` times beyond the first.

    `look(length)` gives (loss, gradient).

    Returns:
        (loss, gradient, length, how often it looked)
    """
    start = Point(0, loss, gradient.clone(), slope)

    def visit(length):
        loss, gradient = look(length)
        return Point(length, loss, gradient, gradient.dot(direction))

    def not_low_enough(point):
        return point.loss > loss + FALLEN * point.length * slope

    def is_flat(point):
        return abs(point.slope) <= -FLATTENED * slope

    # go further and further, until the goal lies between the last two points
    before, here, looked, done = start, visit(length), 0, False
    bracket = None
    while looked < most:
        if not_low_enough(here) or looked > 1 and here.loss >= before.loss:
            bracket = [before, here]
        elif is_flat(here):
            bracket, done = [here], True
        elif here.slope >= 0:
            bracket = [before, here]
        if bracket is not None:
            break
        bounds = here.length + 0.01 * (here.length - before.length), here.length * 10
        before, here = here, visit(lowest_between(before, here, bounds))
        looked += 1
    if looked == most:
        bracket = [start, here]

    # then narrow it down
    low = 0 if bracket[0].loss <= bracket[-1].loss else 1
    size, was_close = direction.abs().max(), False
    while not done and looked < most:
        ends = [point.length for point in bracket]
        if abs(ends[1] - ends[0]) * size < tolerance:
            break
        length, was_close = kept_off_ends(lowest_between(*bracket), ends, was_close)
        here = visit(length)
        looked += 1
        if not_low_enough(here) or here.loss >= bracket[low].loss:
            bracket[1 - low] = here
            low = 0 if bracket[0].loss <= bracket[1].loss else 1
        else:
            if is_flat(here):
                done = True
            elif here.slope * (ends[1 - low] - ends[low]) >= 0:
                bracket[1 - low] = bracket[low]
            bracket[low] = here
    found = bracket[low]
    return found.loss, found.gradient, found.length, looked + 1


def kept_off_ends(length, ends, was_close):
    """A length too close to an end of the bracket for the second time is moved inside by a tenth."""
    least, largest = min(ends), max(ends)
    margin = 0.1 * (largest - least)
    if not min(largest - length, length - least) < margin:
        return length, False
    if not (was_close or length >= largest or length <= least):
        return length, True
    return (largest - margin if abs(length - largest) < abs(length - least) else least + margin), False


def lowest_between(a, b, bounds=None):
    """Where the cubic curve with the losses and slopes of two points is lowest, kept within the bounds."""
    low, high = bounds or sorted([a.length, b.length])
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.length - b.length)
    square = d1 ** 2 - a.slope * b.slope
    if square < 0:
        return (low + high) / 2.0
    d2 = square.sqrt()
    left, right = (a, b) if a.length <= b.length else (b, a)
    place = right.length - (right.length - left.length) * ((right.slope + d2 - d1)
                                                           / (right.slope - left.slope + 2 * d2))
    return min(max(place, low), high)
