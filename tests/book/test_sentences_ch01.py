"""Chapter 1: the sentences that reviews found false, each with the program that refutes it, and its rules."""
import random

import pytest

import minigrad as torch
from minigrad.book import picture, points
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.classroom.labs.nudge import FUNCTIONS, SIZES, central_slope, forward_slope
from minigrad.book.content.chapters import exercise
from tests.helpers.sentences import Chapter

CHAPTER = Chapter(1)
X, TARGET = map(torch.tensor, points())


def loss_at(w, b):
    return ((w * X + b - TARGET) ** 2).mean()


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


def message_of(program):
    with pytest.raises(RuntimeError) as error:
        program()
    return str(error.value)


def in_place():
    w = torch.tensor(1., requires_grad=True)
    w -= 0.5


def second_pass():
    x = leaf(3.)
    (x * x).backward()
    (x * x).backward()
    return x.grad.item()


def slope_of_changed_numbers():
    x = leaf(3.)
    y = x ** 2
    x.data.mul_(100)
    y.backward()
    return x.grad.item()


def slope_after_a_hook():
    x = leaf(3.)
    x.register_hook(lambda g: 5 * g)
    (x * x).backward()
    return x.grad.item()


def tiny_float32_nudge():
    change = (loss_at(1. + 1e-7, 0.) - loss_at(1., 0.)).item()
    return abs(change / 1e-7 + 1.6278) < 0.01


def step_with_the_rate(rate):
    w, b = (torch.tensor(value, requires_grad=True) for value in (1., 0.))
    before = loss_at(w, b)
    before.backward()
    return (loss_at(w - rate * w.grad, b - rate * b.grad) < before).item()


def slope_of_a_leaf_that_requires_none():
    w = torch.tensor(3.)
    return message_of((w * w).backward)


def slope_of_a_result():
    w = torch.tensor(1.5, requires_grad=True) * 2
    (w * w).backward()
    with pytest.warns(UserWarning, match="not a leaf"):
        return w.grad


def forward_difference_minus_slope_for_b(b):
    change = loss_at(1., b + 0.01) - loss_at(1., b)
    leaf_b = torch.tensor(b, requires_grad=True)
    loss_at(1., leaf_b).backward()
    return round((change / 0.01 - leaf_b.grad).item(), 3)


FALSE = {
    "Right after you computed `loss` from a new `w`": (
        slope_of_a_leaf_that_requires_none,
        "element 0 of tensors does not require grad and does not have a grad_fn"),
    "stores the slope of `loss` with respect to a new result `w` in `w.grad`": (slope_of_a_result, None),
    "x.grad says how far the result moves per nudge": (moved_and_slope, (0.00475, 4.75)),
    "without a backward pass, an optimizer does nothing": (step_without_a_pass, True),
    "a smaller nudge is always better": (tiny_nudge, False),
    "x.grad promises something for every nudge, at a kink too": (slope_at_a_kink, (0., True)),
    "x.grad promises something for every nudge, at a jump too": (slope_at_a_jump, (0., -1.)),
    "x.grad is the slope wherever the curve has no kink": (slope_of_a_line_made_of_kinks, (0., 0.01)),
    "x.grad is the slope past an unrecorded operation, too": (slope_past_an_unrecorded_operation, (3., 6)),
    "After `loss.backward()`, `w.grad` holds the slope": (second_pass, 12.),
    "The first backward pass, `loss.backward()`, stores the slope": (slope_of_changed_numbers, 600.),
    "w.grad holds the slope whatever your program changes": (slope_after_a_hook, 30.),
    "a nudge of 1e-7 gives the slope in float32": (tiny_float32_nudge, False),
    "a step against the slope always makes the loss smaller": (lambda: step_with_the_rate(3.), False),
    "a leaf can be overwritten while autograd records": (
        lambda: message_of(in_place),
        "a leaf Variable that requires grad is being used in an in-place operation."),
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
@CHAPTER.says("Right after you computed `loss` from a new leaf `w` that requires a gradient, "
              "`loss.backward()` stores the slope of `loss` with respect to `w` in `w.grad`.")
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
    with pytest.raises(ValueError, match="there is no picture 'other'; there are: 'nudge'"):
        picture("other")


@CHAPTER.says("The curve bends over the nudge, so each printed slope is 0.01 too high.")
def test_a_nudge_of_b_gives_a_slope_that_is_a_hundredth_too_high():
    assert [forward_difference_minus_slope_for_b(b) for b in (0., 0.5, 1.)] == [0.01] * 3


def losses(rate, steps, empties):
    w, b = (torch.tensor(value, requires_grad=True) for value in (1., 0.))
    found = []
    for _ in range(steps):
        if empties:
            w.grad = b.grad = None
        loss = loss_at(w, b)
        loss.backward()
        found.append(round(loss.item(), 4))
        with torch.no_grad():
            w -= rate * w.grad
            b -= rate * b.grad
    return found


@CHAPTER.says("The step took the loss from 1.8522 to 0.5534.")
def test_the_first_step_makes_the_loss_smaller():
    assert losses(0.5, 2, False) == [1.8522, 0.5534]


@CHAPTER.says("The second step made the loss smaller, and the third one made it almost four times as large.")
def test_the_third_step_makes_the_loss_larger_because_gradients_are_added():
    found = losses(0.5, 4, False)
    assert found[2] < found[1] and 3.7 < found[3] / found[2] < 4
    assert losses(0.5, 4, True) == sorted(losses(0.5, 4, True), reverse=True)  # it is not the rate


@pytest.mark.parametrize("seat", [None, "A", "B", "C", "D", "Ada"])
def test_the_step_of_1b_is_that_of_the_engine(seat):
    task = exercise("1b")
    start = task.numbers(seat)
    w, b = (torch.tensor(start[name], requires_grad=True) for name in "wb")
    before = loss_at(w, b)
    before.backward()
    with torch.no_grad():
        w -= start["rate"] * w.grad
        b -= start["rate"] * b.grad
    answer = {"w": w, "b": b, "the loss falls": loss_at(w, b) < before}
    assert first_wrong(task, answer, start) is None


@pytest.mark.parametrize(("key", "answer", "words"), [
    ("1a", {"slope": -16.75, "f moves by": -0.0335}, "Look at the sign"),
    ("1a", {"slope": 16.75, "f moves by": 0.03}, "rounded too much"),
    ("1a", {"slope": "3*x**2-2", "f moves by": 0.0335}, "is a formula"),
    ("1a", {"slope": "sixteen", "f moves by": 0.0335}, "in digits"),
    ("1a", {"slope": 4.75, "f moves by": 0.0095}, "as in the lab"),
    ("1a", {"slope": 16.75, "f moves by": 33.5}, "a nudge of 2"),
    ("1b", {"w": 4., "b": 2., "the loss falls": False}, "before the step"),
    ("1b", {"w": -1.75, "b": 2.9097, "the loss falls": False}, "the other weight"),
    ("1b", {"w": 0.25, "b": 0.9097, "the loss falls": False}, "the slope of the other weight"),
    ("1b", {"w": 4.8722, "b": 5.75, "the loss falls": False}, "Move against it"),
    ("1b", {"w": 0.8722, "b": 3., "the loss falls": False}, "That is the slope"),
    ("1b", {"w": "four", "b": None, "the loss falls": None}, "written in digits"),
    ("1b", print, ""), ("1b", 3, ""), ("1b", [1, 2], "")])
def test_what_a_wrong_answer_is_told(key, answer, words):
    task = exercise(key)
    told = first_wrong(task, answer, task.standard)
    assert told is None if words is None else told and words.casefold() in told.casefold(), told
