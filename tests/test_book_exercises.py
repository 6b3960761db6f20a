"""Every exercise of the book, by the same rules: what is right is computed and found right, known wrong
answers are told apart with their own sentence, and what nobody answered is no mistake."""
import json
import random

import numpy as np
import pytest

import minigrad
from minigrad.book import check, exercises
from minigrad.book import progress as stored
from minigrad.book.chapters import CHAPTERS, of
from minigrad.book.claims import claim
from minigrad.book.exercises import Exercise, Wrong, first_wrong, is_open, judged, known, same
from minigrad.book.grading import points
from minigrad.book.misconceptions import MISCONCEPTIONS

EVERY = [exercise for number in CHAPTERS for exercise in of(number).EXERCISES]
SEATS = [None, "1", "17", "Maria", *exercises.PRINTED]


@pytest.fixture(autouse=True)
def nothing_stored(monkeypatch):
    monkeypatch.setenv("MINIGRAD_PROGRESS", "off")
    stored.progress.remembered = stored.fresh()


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("exercise", [one for one in EVERY if one.expected], ids=lambda one: one.id)
def test_what_is_expected_is_right_and_what_is_wrong_is_not(exercise, seat):
    numbers = exercise.numbers(seat)
    want = exercise.expected(numbers)
    assert first_wrong(exercise, want, numbers) is None
    for wrong in exercise.wrong:
        answer = wrong.answer(numbers)
        assert first_wrong(exercise, answer, numbers), f"{answer!r} is taken for right"
        assert known(exercise, answer, numbers) is wrong, "another wrong answer looks the same"
        said = judged_at(exercise, answer, seat)
        assert wrong.says in said and (wrong.belief is None or MISCONCEPTIONS[wrong.belief] in said)


def judged_at(exercise, answer, seat):
    stored.progress.remembered["seat"] = seat
    return judged(exercise, answer)


@pytest.mark.parametrize("exercise", [one for one in EVERY if one.judge], ids=lambda one: one.id)
def test_a_judged_exercise_knows_its_wrong_answers(exercise):
    assert exercise.wrong
    for wrong in exercise.wrong:
        numbers = exercise.numbers(None)
        assert first_wrong(exercise, wrong.answer(numbers), numbers)


@pytest.mark.parametrize("exercise", EVERY, ids=lambda one: one.id)
def test_an_exercise_is_complete(exercise):
    assert exercise.goal and all(exercise.hints) and exercise.hints[0] != exercise.hints[1]
    assert exercise.wrong, "no wrong answer is known"
    assert judged(exercise, None) == f"□ {exercise.id}: not answered yet"
    assert judged(exercise, 12345.678).startswith("✗")
    assert judged(exercise, object()).startswith("✗")


PLAIN = Exercise("0a", "two numbers", ("first", "second"), expected=lambda n: [n, 2 * n], standard=1.5,
                 draw=lambda rng: rng.randint(2, 9), hints=("one", "two"), wrong=(
                     Wrong(lambda n: [n, n], "M02", "Double it."), Wrong(lambda n: [0, 0], None, "Not 0.")))


@pytest.mark.parametrize("answer", [
    [1.5, 3], (1.5, 3.0), np.array([1.5, 3]), minigrad.tensor([1.5, 3], requires_grad=True),
    [minigrad.tensor(1.5), np.float32(3)], [1.5001, 2.9999],
])
def test_numbers_in_any_form(answer):
    assert judged(PLAIN, answer) == "✓ 0a: right"


@pytest.mark.parametrize(("answer", "said"), [
    ([1.5, 4], "Look at second: 4 is not it."),
    ([2, 4], "Look at first: 2 is not it."),
    ([1.5, None], "Still missing: second."),
    ([1.5], "the number of values (2 are asked for): 1 is not it"),
    (3, "the number of values"),
    ([1.5, 1.5], "Double it. (M02"),
    ([0.0, 0], "Not 0.\n"),
    ([True, 3], "Look at first: True is not it."),
    ([float("nan"), 3], "Look at first: nan"),
    (["1.5", "3"], "Look at first: '1.5'"),
    ({"first": 1.5}, "the number of values"),
])
def test_the_first_wrong_quantity_is_named(answer, said):
    assert said in judged(PLAIN, answer)


STUBS = [None, ..., [None, None], (), [], {}, set(), "", {"a": None}, [[None], None]]


@pytest.mark.parametrize("answer", STUBS)
def test_a_stub_is_no_mistake(answer):
    assert is_open(answer) and judged(PLAIN, answer) == "□ 0a: not answered yet"


def test_a_function_is_run_and_what_it_raises_is_told():
    asked = Exercise("0b", "half", judge=lambda f, n: [(f"f({x})", f(x), x / 2) for x in (2, 5)])
    assert judged(asked, lambda x: x / 2).startswith("✓")
    assert "Look at f(2): 4 is not it" in judged(asked, lambda x: 2 * x)
    assert "It raised ZeroDivisionError: division by zero" in judged(asked, lambda x: x / 0)
    assert "It raised TypeError" in judged(asked, 3)


def test_what_belongs_to_a_set_is_told_without_the_rest():
    asked = Exercise("0c", "letters", expected=lambda n: {"a", "b"})
    assert "'c' doesn't belong there" in judged(asked, {"a", "c"})
    assert "1 more belong there" in judged(asked, {"a"})
    assert judged(asked, ["a", "b"]).startswith("✗") and judged(asked, {"b", "a"}).startswith("✓")


def test_a_claim_takes_its_verdict_in_any_form_and_knows_a_wrong_one():
    asked = claim("0e", "three is four", "three", lambda n: 3, belief="M01", hints=("one", "two"))
    for verdict in ("false", " False ", False):
        assert judged(asked, {"verdict": verdict, "witness": lambda: 3}).startswith("✓")
    said = judged(asked, {"verdict": True, "witness": lambda: 3})
    assert "Look at your verdict" in said and "Let the lines run" in said and "M01" in said
    assert "must return what it saw" in judged(asked, {"verdict": "false", "witness": lambda: None})
    assert "Still missing: your verdict" in judged(asked, {"verdict": None, "witness": lambda: 3})


def test_words_dicts_and_shapes():
    asked = Exercise("0d", "a table", ("w", "name"), expected=lambda n: {"w": [1, 2], "name": "AddBackward0"})
    assert judged(asked, {"w": [1, 2], "name": " addbackward0"}).startswith("✓")
    assert "Still missing: name" in judged(asked, {"w": [1, 2]})
    assert "it has 3 values, and 2 are asked for" in judged(asked, {"w": [1, 2, 3], "name": ""})
    assert "one number, where 2 values" in judged(asked, {"w": 1, "name": "x"})


def test_nan_is_an_answer():
    assert same(float("nan"), float("nan"), 1e-3) and not same(0.0, float("nan"), 1e-3)


def test_check_never_raises(capsys):
    class Nasty:
        def __getattr__(self, name):
            raise RuntimeError("no")

        def __eq__(self, other):
            raise RuntimeError("never")

    for answer in (Nasty(), [Nasty()], {1: Nasty()}, float("inf"), b"x", range(3), lambda: 1, Exercise):
        check("6b", answer)
        assert capsys.readouterr().out.startswith("✗ 6b")
    check("no such")
    assert "there is no exercise 'no such'" in capsys.readouterr().out


def test_attempts_are_counted():
    judged(PLAIN, [1, 2])
    judged(PLAIN, [1.5, 1.5])
    assert stored.progress.remembered["attempts"]["0a"] == {"tries": 2, "right": False, "belief": "M02"}


def test_numbers_of_a_seat_don_t_depend_on_the_machine():
    assert PLAIN.numbers("Maria") == PLAIN.draw(random.Random("Maria:0a"))
    assert PLAIN.numbers(None) == 1.5


def test_a_solution_is_found_in_the_chapter(tmp_path, monkeypatch):
    cell = {"cell_type": "code", "metadata": {"tags": ["solution", "6b"]},
            "source": ["### BEGIN SOLUTION\n", "x = 3\n", "### END SOLUTION"]}
    (tmp_path / "06_x.ipynb").write_text(json.dumps({"cells": [cell]}))
    monkeypatch.setattr(exercises, "NOTEBOOKS", tmp_path)
    assert exercises.solution_text("6b") == "x = 3" and exercises.solution_text("6c") is None
    monkeypatch.setattr(exercises, "NOTEBOOKS", tmp_path / "nowhere")  # the package was copied elsewhere
    monkeypatch.chdir(tmp_path)
    assert exercises.solution_text("6b") == "x = 3"


def test_points_are_given_for_each_right_part():
    assert points("1c", {"losses, by nudging": 1_000_001, "backward passes": 3}) == (1, 2)
    assert points("1c", {"losses, by nudging": 1_000_001, "backward passes": 1}) == (2, 2)
    assert points("1c", None) == (0, 2) == points("1c", object())


def test_an_assignment_shows_no_solution(monkeypatch, capsys):
    judged(PLAIN, [1, 2])
    monkeypatch.setenv(exercises.NO_SOLUTIONS, "off")
    exercises.solution("0a")
    assert "there is no solution here" in capsys.readouterr().out
