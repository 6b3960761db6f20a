"""What a check says to answers that people really typed: right ones in other forms, and wrong ones.

Each group comes from somebody who tried the book: right answers were called wrong because of their form,
wrong ones got a sentence that didn't help, and functions that return a constant passed.
"""

import numpy as np
import pytest

import minigrad as torch
from minigrad.book.classroom import progress as stored
from minigrad.book.classroom.exercise import Exercise, Part, Wrong
from minigrad.book.classroom.exercises import judged
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.classroom.reading import is_open
from minigrad.book.classroom.verdict import as_text
from minigrad.book.content.chapters import CHAPTERS, exercise, of
from minigrad.book.content.chapters.ch07 import fixed, without_middle

SLOPE, VALUE = 16.75, 10.625  # of 1a without a seat


@pytest.fixture(autouse=True)
def nothing_stored(monkeypatch):
    monkeypatch.setenv("MINIGRAD_PROGRESS", "off")
    stored.progress.remembered = stored.fresh()


def said(key, answer):
    one = key if isinstance(key, Exercise) else exercise(key)
    return " ".join(as_text(*judged(one, answer)).split())


# --- right answers in other forms ---------------------------------------------------------------------------

LEAVES = [True, False, True, True, False, True, False]
SEVEN = Exercise("0z", "Which are leaves?", {name: f"`{name}`" for name in "tuvwxyz"},
                 expected=lambda _: LEAVES, truths=("`{name}` is not a leaf.", "`{name}` is a leaf."),
                 wrong=(Wrong(lambda _: [True] * 7, None, "An operation made it."),))
SURVIVE = ["t + 4", "-t", "t.mean()", "t.reshape(3, 1)"]
LINES_6A = exercise("6a").choices
SIX_B = [30, "error", 40, 30, 40]
P, Q = torch.tensor([3., 5.], requires_grad=True), torch.tensor([0.5, 4.], requires_grad=True)
J = [[0.5, 4.], [1., -1.], [48., 0.]]
TABLE = {"flag": [True, True, False], "detach": [True, False, False], "no_grad": [False] * 3}


@pytest.mark.parametrize(("key", "answer"), [
    ("6a", SURVIVE), ("6a", tuple(SURVIVE)), ("6a", set(SURVIVE)), ("6a", dict.fromkeys(SURVIVE, 1)),
    ("6a", ["t+4", "-t", "t.mean()", "t.reshape(3,1)"]), ("6a", [line in SURVIVE for line in LINES_6A]),
    ("6a", {line: line in SURVIVE for line in LINES_6A}), ("6a", [f"`{line}`" for line in SURVIVE]),
    ("6b", [30, "RuntimeError", 40, 30, 40]), ("6b", [30, RuntimeError, 40, 30, 40]),
    ("6b", [30, RuntimeError("second time"), 40, 30, 40]), ("6b", [30, "an Error", "40.0", 30., 40]),
    ("6b", (torch.tensor(30.), "error", np.float32(40), torch.tensor([30.]), [40])),
    ("6b", dict(zip(exercise("6b").quantities, SIX_B, strict=True))),
    ("2a", [9, 0, "None", "none"]), ("2a", ("9.0", torch.tensor(0.), "nothing", "'None'")),
    ("2a", {"p.grad": torch.tensor(9.), "r.grad": "0", "s.grad": "None", "t.grad": "None"}),
    ("1a", {"slope": "16.75", "f moves by": " 0.0335 "}), ("1a", [SLOPE, 0.0335]),
    ("1a", {"slope": torch.tensor([SLOPE]), "f_moves_by": 0.0335}),
    ("1a", {"Slope": 16.7, "f moves by": "67/2000"}),
    ("0a", {"leaves that require a gradient": "1", "operations": "3", "p.grad": "15"}),
    ("0a", [1, 3, torch.tensor(15.)]), ("0a", np.array([1, 3, 15])),
    ("1b", {"w": "2.91", "b": torch.tensor(-1.75), "the loss falls": "no"}), ("1b", (2.9097, -1.75, False)),
    ("1b", [2.91, np.float64(-1.75), torch.tensor(False)]),
    ("3c", ["p * q + p", "p * p + q"]), ("3c", {"p*p + q", "p*q + p"}), ("3c", [1, 1, 0, 0, 0]),
    ("5a", torch.tensor([[10., 100., 1.]])), ("5a", "10, 100, 1"), ("5a", "10 100 1"),
    ("5a", ("10", 100, True + 0)),
    ("5b", torch.tensor(J)), ("5b", [torch.tensor(row) for row in J]), ("5b", sum(J, [])),
    ("7a", TABLE), ("7a", list(TABLE.values())), ("7a", sum(TABLE.values(), [])),
    ("7a", {way: ["yes" if one else "no" for one in row] for way, row in TABLE.items()}), ("7b", fixed),
    ("8a", ["input", "None", "Output", "BOTH"]), ("8a", ["the input", "neither", "outputs", "both"]),
])
def test_right_in_another_form(key, answer):
    assert said(key, answer).startswith(f"✓ {key}: right")


@pytest.mark.parametrize("answer", [
    [1, 0, 1, 1, 0, 1, 0], ["True", "no", "true", "yes", "False", "t", "f"], np.array(LEAVES),
    torch.tensor(LEAVES), "[1, 0, 1, 1, 0, 1, 0]"], ids=str)
def test_truths_in_another_form(answer):
    assert said(SEVEN, answer) == "✓ 0z: right"


@pytest.mark.parametrize(("answer", "sentence"), [
    ([True] * 7, "u is not a leaf. An operation made it."), ([1, 0, 1, 1, 0, 0, 0], "y is a leaf."),
    (set(LEAVES), "A set has no order. Give a list of 7 values.")], ids=str)
def test_a_wrong_truth_is_named(answer, sentence):
    assert sentence in said(SEVEN, answer)


def test_nan_is_an_answer():
    asked = Exercise("0z", "nan", {"n": "it"}, expected=lambda _: [float("nan")])
    assert said(asked, [float("nan")]).startswith("✓") and said(asked, [0.]).startswith("✗")


STUBS = [None, ..., [None, None], (), [], {}, set(), "", {"a": None}, [[None], None]]


@pytest.mark.parametrize("answer", STUBS)
def test_a_stub_is_no_mistake(answer):
    assert is_open(answer) and said("1a", answer) == "□ 1a: not answered yet"


# --- wrong answers ------------------------------------------------------------------------------------------

def item_unused(w, b):
    """Call `item()` as the program of 7b does, and then don't subtract the number."""
    (w + b).item()
    return without_middle(w, b)


@pytest.mark.parametrize(("key", "answer", "sentence"), [
    ("1a", {"slope": VALUE, "f moves by": 0.002 * VALUE}, "The slope is not 10.625: that is the value of f. "
     "How far does f move when p moves a little?"),
    ("1a", {"slope": SLOPE, "f moves by": 0.002 * VALUE}, "The distance that f moves is not 0.02125: that is "
     "0.002 times the value of f. Take 0.002 times the slope. The slope is right."),
    ("1a", {"slope": SLOPE}, "The slope is right. Still missing: the distance that f moves."),
    ("1a", {"slop": SLOPE, "f moves by": 1}, "There is no field slop; did you mean slope?"),
    ("1a", [1, 2, 3], "Your answer has 3 values, and 2 are asked for."),
    ("1a", SLOPE, "Your answer has 1 value, and 2 are asked for."),
    ("1a", {"slope": True, "f moves by": 1}, "The slope should be a number; True isn't one."),
    ("1a", {"slope": "big", "f moves by": 1}, "The slope is not big."),
    ("1a", {"slope": float("nan"), "f moves by": 1}, "The slope is not nan."),
    ("0a", [1, 3, 15, 1], "Your answer has 4 values, and 3 are asked for."),
    ("0a", {"operation": 3, "p.grad": 15}, "There is no field operation; did you mean operations?"),
    ("10b", {1: 2},
     "There is no field 1; write your answer in the form that it has in the cell of the exercise."),
    ("0a", {"leaves that require a gradient": 3, "operations": 4, "p.grad": 15},
     "The number of leaves that require a gradient is not 3. Only p was made with requires_grad=True"),
    ("1b", (5.0903, 5.75, False), "w after the step is not 5.0903: that is a step along the slope"),
    ("1b", (0.8722, 3, False), "w after the step is not 0.8722: that is the slope."),
    ("1b", (2.9097, -1.75, True), "The loss doesn't fall. Compute it before and after the step."),
    ("1b", (2.9097, -1.75, "perhaps"), "Whether the loss falls should be True or False; perhaps is neither"),
    ("1b", {"w": 2.9097}, "Still missing: b after the step, whether the loss falls."),
    ("2a", [3, 0, "None", "None"], "p.grad is not 3. Many people expect that backward() sets or returns the "
     "gradient; but the second pass adds its gradient"),
    ("2a", [9, "None", "None", "None"], "r.grad is not None. Many people expect that a gradient of None is"),
    ("2a", [9, 0, "None", 1], "t.grad is not 1. Many people expect that every tensor on the way keeps"),
    ("2a", [9, 0, None, None], "Still missing: s.grad, t.grad. Python's None marks a slot that you haven't "
     'filled. If it is your answer, write "None".'),
    ("2a", [6, 0, "None", "None"], "p.grad is not 6: that is the gradient of the first pass, and the second "
     "pass adds its own."),
    ("2a", [None, 0, "None", "None"], "Still missing: p.grad. The rest is right. Python's None marks"),
    ("2a", ["nine", 0, "None", "None"], "p.grad should be written in digits. The rest is right."),
    ("2a", [print, 0, "None", "None"], "p.grad should be a number"),
    ("3b", "(p * p).exp() - q", "Put the tensor that your line makes into answer_3b"),
    ("3b", (P ** 2).exp() - Q, "The picture shows another graph. In the picture two edges lead to the "
     "AccumulateGrad of p: the product has two inputs."),
    ("3b", P * P.exp() - Q, "Follow the edges from the last operation. Which node does each one lead to?"),
    ("3b", (P * Q).exp() - P, "Which leaf's AccumulateGrad does each edge lead to?"),
    ("3b", (Q * Q).exp() - P, "Which leaf's AccumulateGrad does each edge lead to?"),
    ("3b", Q - (P * P).exp(), "The inputs of the subtraction are swapped."),
    ("3b", (P * P).exp() - Q.detach(), "no edge leads to the AccumulateGrad of q"),
    ("3b", ((P * P).exp() - Q).detach(), "Your tensor has no graph: no operation was recorded for it."),
    ("3c", {"p * q + p"}, "One line is missing. A walk prints a node once for each edge that leads to it"),
    ("3c", {"p * p + q"}, "One line is missing. The two edges of the product may lead to two leaves."),
    ("3c", ["p * q + p", "p * p + q", "(p + q) * p"], "(p + q) * p doesn't belong there. Its"),
    ("3c", {"p * p + q", "p * 2 + q"}, "p * 2 + q doesn't belong there. No edge leads to the constant 2"),
    ("3c", {"(p + q) * p"}, "(p + q) * p doesn't belong there. Its multiplication runs last"),
    ("3c", "a", "a isn't one of the lines"),
    ("5a", [260, 312], "v is a list of three numbers, one for each output; your answer is [260, 312]"),
    ("5a", [10, 100, 2], "Each coefficient is a dye: 0, 1, 10 or 100."),
    ("5a", "ten hundred one", "your answer is ten hundred one."),
    ("5a", {"v": [1, 2]}, "v is a list of three numbers, one for each output"),
    ("5b", [[49.5, 3]] * 3,
     "but each pass adds to point.grad, so each of your rows is the sum of all three."),
    ("5b", [[0.5, 4], [1.5, 3], [49.5, 3]], "so each of your rows contains the rows before it."),
    ("5b", [[48, 0]] * 3, "the list holds one tensor three times"),
    ("5b", [[48, 0], [1, -1], [0.5, 4]], "These are the right rows in reverse order"),
    ("5b", [[1, -1], [0.5, 4], [48, 0]], "These are the right rows in another order"),
    ("5b", [["a", "b"], [1, -1], [48, 0]], "Row 0 should hold the two derivatives of u[0] * u[1]; yours is"),
    ("5b", [[0.5, 1, 48], [4, -1, 0]], "These are the columns."),
    ("6a", [*SURVIVE, "t / 2"], "t / 2 doesn't belong there. A constant is saved, too"),
    ("6a", [*SURVIVE, "t * t", "t / 2"], "t / 2 doesn't belong there. A constant is saved, too"),
    ("6a", SURVIVE[:2], "2 lines are missing."), ("6a", SURVIVE[1:], "One line is missing."),
    ("6a", ["t + 5"], "t + 5 isn't one of the lines; did you mean t + 4?"),
    ("6b", [30, 10, 40, 30, 40], "The result of (2) is not 10."),
    ("6b", [30, 30, 40, 30, 40], "The result of (2) is not 30: that is what w.grad still holds. But the "
     "call fails, so write \"error\"."),
    ("6b", [30, "error", 40, 30, 10], "The result of (5) is not 10. Many "
     "people expect that backward() sets or returns the gradient; but a pass adds to what is in w.grad"),
    ("6b", [30, "error", 40, 30, "error"], "The first pass kept the graph, so the second one finds"),
    ("6b", [30, "no error", 40, 30, 40], "The result of (2) is not no error."),
    ("7a", {**TABLE, "detach": TABLE["no_grad"]}, 'the answer to "recorded?" is not right. Print p.grad_fn '
     "if there is a p, and t.grad_fn otherwise. Many people expect that detach() and no_grad() are the "
     "same thing; but p = m * h has"),
    ("7a", {**TABLE, "flag": [1, 1]}, "The row flag should hold three values, each True or False."),
    ("7b", lambda w, b: fixed(w, b.detach()), "b.grad is None: no gradient reaches b. Nudging gives 0."),
    ("7b", item_unused, "The program should still subtract the mean of p."),
    ("8a", ["input", "none", "input", "both"], 'For t.tanh(), "input" is not right. The derivative is'),
])
def test_wrong_answers_are_answered(key, answer, sentence):
    text = said(key, answer)
    assert text.startswith(f"✗ {key}: not yet. ") and sentence in text


def test_one_tensor_stored_three_times_is_recognised():
    w, h, answer = torch.tensor(0.5, requires_grad=True), torch.tensor(1.), []
    for _ in range(3):
        h = w * h.detach()
        ((h - 2) ** 2).backward()
        answer.append(w.grad)
    assert "Your answer holds the same tensor several times" in said("6c", answer)
    x, rows = torch.tensor([4., 0.5], requires_grad=True), []
    for v in torch.eye(3):
        torch.stack([x[0] * x[1], x[0] - x[1] ** 2, x[0] ** 3]).backward(v)
        rows.append(x.grad)
    assert "holds the same tensor several times" in said("5b", rows)
    assert "several times" not in said("5b", [torch.ones(2) for _ in range(3)])


def test_the_wrong_answer_that_explains_most_is_the_one_that_is_answered():
    both = Wrong(lambda _: [1, 1], None, "Both are one.")
    asked = Exercise("0z", "two", {"a": "a", "b": "b"}, expected=lambda _: [5, 6],
                     wrong=(Wrong(lambda _: [1, 6], None, "Only a is one."), both))
    assert "Both are one." in said(asked, [1, 1]) and "Only a is one." in said(asked, [1, 6])
    assert "Both are one." in said(asked, [7, 1])  # the first is wrong in a way that nobody foresaw


def test_repair_of_2b():
    def weights(scale=1., leaf=True, passes=1):
        w = torch.tensor([number * scale for number in exercise("2b").example(None).tolist()],
                         requires_grad=True)
        w = w if leaf else w * 1
        for _ in range(passes):
            (w * 5).sum().backward()
        return w

    assert said("2b", weights()).startswith("✓ 2b: right")
    assert "Your w is not a leaf yet. The numbers in w are right" in said("2b", weights(leaf=False))
    assert "The numbers should stay small" in said("2b", weights(10.))
    assert "No gradient has arrived: w.grad is None" in said("2b", weights(passes=0))
    assert "w.grad is [10, 10, 10]." in said("2b", weights(passes=2))
    assert "Put the tensor w itself into answer_2b, not [1, 2]." in said("2b", [1, 2])


# --- functions ----------------------------------------------------------------------------------------------

def half(witness):
    asked = Exercise("0b", "half", {"f": "f"}, judge=lambda f, _: [Part("f", f(x), x / 2) for x in (2, 5)])
    return said(asked, witness)


def helper(x):
    return x / 0


def test_a_function_that_raises_is_told_with_its_own_line():
    assert half(lambda x: x / 2).startswith("✓") and "F is not 4." in half(lambda x: 2 * x)
    text = half(lambda x: helper(x))
    assert "Your code didn't run to its end: its line " in text
    assert "return x / 0, raised ZeroDivisionError: division by zero." in text


# --- other programs than the one that was foreseen ----------------------------------------------------------

JUDGED = [one for number in CHAPTERS for one in of(number).EXERCISES if one.judge]


@pytest.mark.parametrize("one", JUDGED, ids=lambda one: one.id)
def test_a_judge_refuses_constants(one):
    for constant in (0, 1, "1", [1, 1, 1], torch.ones(3), lambda *_: 1, {"verdict": 1, "witness": 1}, True):
        assert first_wrong(one, constant, one.standard)


def test_a_notebook_shows_a_sentence_for_an_answer_that_can_t_be_read():
    """IPython calls this method in place of its own: the lines of the book's code help no learner."""
    from minigrad.book.classroom.reading import Misread
    assert Misread("Give your class `Tensor`.")._render_traceback_() == ["Give your class Tensor."]
