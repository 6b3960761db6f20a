"""Chapter 1: the sentences that reviews found false, each with the program that refutes it, and its rules."""
import random

import pytest

import minigrad as torch
from minigrad.book import picture
from minigrad.book.labs.nudge import FUNCTIONS, SIZES, central_slope, forward_slope
from tests.helpers.sentences import Chapter

CHAPTER = Chapter(1)
X = torch.linspace(-1, 1, 9)
NOISE = torch.tensor([0.1, -0.1, 0.2, 0., -0.2, 0.1, 0., -0.1, 0.])
WANTED = 3 * X + 0.5 + NOISE


def loss_at(w, b):
    return ((w * X + b - WANTED) ** 2).mean()


def leaf(value):
    return torch.tensor(value, dtype=torch.float64, requires_grad=True)


def moved_and_slope():
    x = leaf(1.5)
    (x ** 3 - 2 * x).backward()
    return round(1.501 ** 3 - 2 * 1.501 - 0.375, 5), x.grad.item()


def step_without_a_pass():
    w = torch.tensor(1., requires_grad=True)
    sgd = torch.optim.SGD([w], lr=0.3)
    loss_at(w, 0.).backward()
    sgd.step()
    before = w.item()
    sgd.step()
    return w.item() != before


def tiny_nudge():
    small, tiny = (central_slope(FUNCTIONS["x**3 - 2*x"], 1.5, h) for h in (1e-5, 1e-13))
    return abs(tiny - 4.75) < abs(small - 4.75)


def slope_at_a_kink():
    x = leaf(0.)
    x.relu().backward()
    return x.grad.item(), torch.tensor(0.01).relu().item() > 0


def slope_at_a_jump():
    x = leaf(2.)
    x.floor().backward()
    return x.grad.item(), torch.tensor(1.99).floor().item() - 2


def slope_of_a_line_made_of_kinks():
    x = leaf(0.)
    (x.relu() - (-x).relu()).backward()
    return x.grad.item(), (leaf(0.01).relu() - leaf(-0.01).relu()).item()


def slope_past_an_unrecorded_operation():
    x = leaf(3.)
    (x.detach() * x).backward()
    return x.grad.item(), round((3.001 ** 2 - 9) / 0.001)


def large_whole_number():
    return int(torch.tensor([16_777_216.]).item()), int(torch.tensor([16_777_217.]).item())


def digits_of_a_whole_number():
    return torch.tensor([16_777_217]).tolist()


def converted_too_late():
    with pytest.raises(RuntimeError) as error:
        torch.tensor([1, 2, 3], requires_grad=True).float()
    return str(error.value)


def every_tensor():
    with pytest.raises(RuntimeError) as error:
        torch.tensor([1, 2, 3], requires_grad=True)
    return str(error.value)


def as_printed():
    with pytest.raises(TypeError) as error:
        torch.tensor([1., 2.], [3., 4.], requires_grad=True)
    return str(error.value)


FALSE = {
    "x.grad says how far the result moves per nudge": (moved_and_slope, (0.00475, 4.75)),
    "without a backward pass, an optimizer does nothing": (step_without_a_pass, True),
    "a smaller nudge is always better": (tiny_nudge, False),
    "x.grad promises something for every nudge, at a kink too": (slope_at_a_kink, (0., True)),
    "x.grad promises something for every nudge, at a jump too": (slope_at_a_jump, (0., -1.)),
    "x.grad is the slope wherever the curve has no kink": (slope_of_a_line_made_of_kinks, (0., 0.01)),
    "x.grad is the slope past an unrecorded operation, too": (slope_past_an_unrecorded_operation, (3., 6)),
    "every tensor keeps about 7 digits": (digits_of_a_whole_number, [16_777_217]),
    "whole numbers can be converted after requires_grad is set": (
        converted_too_late, "Only Tensors of floating point and complex dtype can require gradients"),
    "a decimal point costs nothing": (large_whole_number, (16_777_216, 16_777_216)),
    "every tensor can be given requires_grad=True": (
        every_tensor, "Only Tensors of floating point and complex dtype can require gradients"),
    "torch.tensor([1., 2.], [3., 4.]) makes two rows": (
        as_printed, "tensor() takes 1 positional argument but 2 were given"),
}


@pytest.mark.parametrize("sentence", FALSE)
def test_a_false_sentence_is_refuted(sentence):
    assert sentence not in CHAPTER
    program, prints = FALSE[sentence]
    assert program() == prints


# --- the rules, on random programs --------------------------------------------------------------------------

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


@pytest.mark.parametrize("seed", range(40))
@CHAPTER.says("a small nudge `h` of `x` changes `y` by about `h * x.grad`.")
def test_a_small_nudge_changes_the_result_by_nudge_times_slope(seed):
    rng = random.Random(seed)
    function, at, h = random_function(rng), rng.uniform(-1., 1.), 1e-7
    x = leaf(at)
    function(x).backward()
    change = function(leaf(at + h)).item() - function(leaf(at)).item()
    assert change == pytest.approx(h * x.grad.item(), rel=1e-3, abs=1e-12)


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


def test_the_loss_has_no_error_but_rounding_with_central_differences():
    w = torch.tensor(1., requires_grad=True)
    loss_at(w, 0.).backward()
    assert ((loss_at(2., 0.) - loss_at(0., 0.)) / 2).item() == pytest.approx(w.grad.item(), rel=1e-5)


def test_the_words_of_the_picture_are_true():
    curve, words = FUNCTIONS["x**3 - 2*x"], str(picture("nudge"))
    assert forward_slope(curve, 1.5, 0.5) == 7.25 and "forward difference, 7.25, is too large" in words
    for slope, bound, size in ((forward_slope, 1e-7, 1e-8), (central_slope, 1e-10, 3e-6)):
        lowest, best = min((abs(slope(curve, 1.5, h) - 4.75), h) for h in SIZES)
        assert bound / 100 < lowest < bound and size / 40 < best < size * 40
        assert f"below {bound:.0e}, is near h = {size:.0e}".replace("e-0", "e-") in words
    with pytest.raises(ValueError, match="there is no picture 'other'; there is: 'nudge'"):
        picture("other")
