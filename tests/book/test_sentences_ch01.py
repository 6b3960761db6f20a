"""Chapter 1: its rules on random programs, where the first of them ends, and the numbers of its picture."""
import random

import pytest

import minigrad as torch
from minigrad.book import picture, points
from minigrad.book.classroom.labs.nudge import FUNCTIONS, SIZES, central_slope, forward_slope
from tests.helpers.sentences import Chapter

CHAPTER = Chapter(1)
X, TARGET = map(torch.tensor, points())


def leaf(value):
    return torch.tensor(value, dtype=torch.float64, requires_grad=True)


SMOOTH = (lambda t: t.sin(), lambda t: t.exp() / 4, lambda t: t * t - 1.5, lambda t: t.tanh(),
          lambda t: 3 * t, lambda t: t + 2, lambda t: 1 / (t * t + 1))


def random_function(rng):
    """A chain of smooth operations, with a sum or product of an earlier value here and there."""
    steps = [(rng.choice(SMOOTH), rng.choice("+* ")) for _ in range(rng.randint(1, 5))]

    def function(t):
        for step, joined in steps:
            after = step(t)
            t = after + t if joined == "+" else after * t if joined == "*" else after
        return t

    return function


def slope_and_change(function, at, h):
    """Return `x.grad`, and the change of the result per unit of a nudge."""
    x = leaf(at)
    function(x).backward()
    return x.grad.item(), (function(leaf(at + h)) - function(leaf(at))).item() / h


@pytest.mark.parametrize("seed", range(40))
@CHAPTER.says("Right after you computed `loss` from a new leaf `w` that requires a gradient, "
              "`loss.backward()` stores the slope of `loss` with respect to `w` in `w.grad`.")
def test_a_small_nudge_changes_the_result_by_nudge_times_slope(seed):
    rng = random.Random(seed)
    slope, change = slope_and_change(random_function(rng), rng.uniform(-1., 1.), 1e-7)
    assert change == pytest.approx(slope, rel=1e-3, abs=1e-5)


@pytest.mark.parametrize(("function", "at", "stored"), [
    (lambda x: x.detach() * x, 3., 3.),             # an operation that isn't recorded
    (lambda x: x.relu(), 0., 0.),                   # a kink
    (lambda x: x.relu() - (-x).relu(), 0., 0.),     # a line, made of two kinks
    (lambda x: x.floor(), 2., 0.)])                 # a jump
def test_when_the_first_rule_does_not_hold(function, at, stored):
    changes = [slope_and_change(function, at, h) for h in (1e-6, -1e-6)]
    assert all(slope == stored for slope, _ in changes)
    assert any(abs(change - stored) > 0.5 for _, change in changes)


@pytest.mark.parametrize("n", [1, 2, 7])
@CHAPTER.says("For n slopes of one result, forward differences need n + 1 evaluations; autograd needs one "
              "evaluation and one backward pass.")
def test_n_slopes_take_n_plus_one_evaluations_or_one_and_a_pass(n):
    count, h, rng = [], 1e-6, random.Random(n)
    start = [rng.uniform(-1., 1.) for _ in range(n)]

    def evaluate(numbers):
        count.append(1)
        return (numbers.sin() * numbers).sum() + numbers[0] * numbers[-1]

    first = evaluate(leaf(start)).item()
    nudged = [(evaluate(leaf([value + h * (at == k) for at, value in enumerate(start)])).item() - first) / h
              for k in range(n)]
    assert len(count) == n + 1
    count.clear()
    x = leaf(start)
    evaluate(x).backward()
    assert len(count) == 1 and x.grad.tolist() == pytest.approx(nudged, abs=1e-4)


def test_the_words_of_the_picture_are_true():
    curve, words = FUNCTIONS["x**3 - 2*x"], str(picture("nudge"))
    assert forward_slope(curve, 1.5, 0.5) == 7.25 and "forward difference, 7.25, is too large" in words
    for slope, bound, size in ((forward_slope, 1e-7, 1e-8), (central_slope, 1e-10, 3e-6)):
        lowest, best = min((abs(slope(curve, 1.5, h) - 4.75), h) for h in SIZES)
        assert bound / 100 < lowest < bound and size / 40 < best < size * 40
        assert f"below {bound:.0e}, is near h = {size:.0e}".replace("e-0", "e-") in words
    with pytest.raises(ValueError, match="there is no picture 'other'; there are: 'nudge'"):
        picture("other")


@pytest.mark.parametrize("b", [0., 0.5, 1.])
@CHAPTER.says("The curve bends over the nudge, so each printed slope is 0.01 too high.")
def test_a_nudge_of_b_gives_a_slope_that_is_a_hundredth_too_high(b):
    slope, change = slope_and_change(lambda b: ((X + b - TARGET) ** 2).mean(), b, 0.01)
    assert round(change - slope, 3) == 0.01
