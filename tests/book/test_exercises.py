"""Every exercise of the book, by the same rules: what is right is computed and found right, known wrong
answers are told apart with their own sentence, what nobody answered is no mistake, and neighbours differ."""
import contextlib
import json
import random
import re
import time

import pytest

import minigrad as torch
from minigrad.book import check, hint, solution
from minigrad.book.build.grading import count
from minigrad.book.classroom import helping
from minigrad.book.classroom import progress as stored
from minigrad.book.classroom.exercise import PRINTED, Exercise, Wrong
from minigrad.book.classroom.exercises import judged
from minigrad.book.classroom.judging import first_wrong, judge
from minigrad.book.classroom.markup import plain
from minigrad.book.classroom.time_limit import TooLong, time_limit
from minigrad.book.classroom.verdict import NOT_ANSWERED, NOT_YET, RIGHT, as_text
from minigrad.book.content.chapters import CHAPTERS, exercise, of

EVERY = [one for number in CHAPTERS for one in of(number).EXERCISES]
SEATS = [None, "1", "17", "Maria", *PRINTED]
DEALT = [(one, seat) for one in EVERY for seat in (SEATS if one.draw else SEATS[:1])]


@pytest.fixture(autouse=True)
def nothing_stored(monkeypatch):
    monkeypatch.setenv("MINIGRAD_PROGRESS", "off")
    stored.progress.remembered = stored.fresh()


def letters(text):
    """A sentence as it is said alone or after another one: without marks, in small letters."""
    return plain(text).casefold()


@pytest.mark.parametrize(("one", "seat"), DEALT, ids=[f"{one.id}-{seat}" for one, seat in DEALT])
def test_what_is_expected_is_right_and_what_is_wrong_is_not(one, seat):
    numbers = one.numbers(seat)
    assert first_wrong(one, (one.expected or one.example)(numbers), numbers) is None
    for wrong in one.wrong:
        answer = wrong.answer(numbers)
        found = judge(one, answer, numbers)
        assert found.says, f"{answer!r} is taken for right"
        assert 0 <= found.right < one.parts, "a wrong answer gets all points, or more"
        assert found.wrong is wrong, "another wrong answer looks the same"
        assert letters(wrong.says) in letters(" ".join(found.says))


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.id)
def test_an_exercise_is_complete(one):
    assert one.goal and all(one.hints) and one.hints[0] != one.hints[1]
    assert one.wrong, "no wrong answer is known"
    assert judged(one, None) == (NOT_ANSWERED, one.id)
    for nonsense in (12345.678, object(), "nonsense", [object()], {"x": 1}, lambda: 1, 1j, b"x", range(3)):
        kind, _, *says = judged(one, nonsense)
        assert kind == NOT_YET and says[0].strip()


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.id)
def test_no_verdict_names_a_misconception_by_its_number(one, capsys):
    for wrong in one.wrong:
        for seat in ("A", "Maria") if one.draw else ("A",):
            stored.progress.remembered["seat"] = seat
            check(one.id, wrong.answer(one.numbers(seat)))
    hint(one.id)
    hint(one.id)
    said = capsys.readouterr().out
    assert said.count(f"✗ {one.id}: not yet. ") == (2 if one.draw else 1) * len(one.wrong)
    assert not re.search(r"\bM\d{2,3}\b|is not it\b", said)


def test_a_belief_is_quoted_as_what_people_expect(capsys):
    check("6b", [30, 10, 40, 30, 10])
    said = " ".join(capsys.readouterr().out.split())
    assert "is not 10. Many people expect that backward() sets or returns the gradient; but a pass" in said


@pytest.mark.parametrize("one", [one for one in EVERY if one.draw], ids=lambda one: one.id)
def test_neighbours_have_other_answers(one):
    answers = {repr(one.told(one.numbers(seat))) for seat in PRINTED}
    assert len(answers) == len(PRINTED)


def test_somebody_without_a_seat_does_not_get_the_numbers_of_the_page():
    """5a was the worked example of chapter 5."""
    for number, key in ((5, "5a"),):
        cells = json.loads(next(helping.NOTEBOOKS.glob(f"{number:02}_*.ipynb")).read_text("utf-8"))["cells"]
        at = next(place for place, cell in enumerate(cells) if f"Your turn {key}" in "".join(cell["source"]))
        before = json.dumps([[cell["source"], cell.get("outputs")] for cell in cells[:at]])
        task = exercise(key)
        value = task.example(task.standard) if task.example else task.told(task.standard)[0]
        assert str(value).strip("[]") not in before


PLAIN = Exercise("0a", "two numbers", {"first": "the first number", "second": "the second number"},
                 expected=lambda n: [n, 2 * n], standard=1.5, draw=lambda rng: rng.randint(2, 9),
                 hints=("one", "two"), wrong=(Wrong(lambda n: [n, n], "M02", "Double it."),
                                              Wrong(lambda n: [0, 0], None, "Not 0.")))


def test_attempts_are_counted_and_what_was_right_stays_right():
    attempts = stored.progress.remembered["attempts"]
    judged(PLAIN, [1, 2])
    judged(PLAIN, [1.5, 1.5])
    wrong = {"the first number": "", "the second number": "", "Double it.": ""}
    assert attempts["0a"] == {"tries": 2, "right": False, "real": True, "belief": "M02", "wrong": wrong}
    judged(PLAIN, [1.5, 3])
    judged(PLAIN, [1.5, 77])
    assert attempts["0a"] == {"tries": 4, "right": True, "real": True, "belief": "M02", "wrong": wrong}


@pytest.mark.parametrize(("key", "answer", "wrong"), [
    ("6a", {"t + 4", "-t", "t * 5"}, {"t * 5": "ticked", "t.mean()": "not ticked",
                                      "t.reshape(3, 1)": "not ticked"}),
    ("6b", [30, "my dog ate it", "an error", 30., None],
     {"the result of (2)": "", "the result of (3)": "error"}),
    ("6b", [30, "error", 70, 30, 40],
     {"Each of the three graphs has a new `w`, and the drawer of a new `w` is empty.": ""}),
    ("6b", [1234.5, "error", 40, 30, 40], {"the result of (1)": ""}),
    ("6b", "sorry, no time", {}), ("6b", [None] * 5, {}),
    ("0a", [77, 3, None], {"the number of leaves that require a gradient": "77"}),
])
def test_a_wrong_answer_is_stored_without_words_of_the_learner_s_own(key, answer, wrong):
    """Numbers of a seat aren't stored either: another seat has others. A known mistake is its reply."""
    stored.progress.change("attempts", key, wrong=None)
    judged(exercise(key), answer)
    assert stored.progress.remembered["attempts"][key].get("wrong") == (wrong or None)


def test_numbers_of_a_seat_don_t_depend_on_the_machine():
    assert all(one.numbers(seat) is one.standard for one in EVERY if not one.draw for seat in SEATS)
    assert PLAIN.numbers("Maria") == PLAIN.draw(random.Random("Maria:0a"))
    assert PLAIN.numbers(None) == 1.5


def test_a_solution_is_found_in_the_chapter(tmp_path, monkeypatch):
    cell = {"cell_type": "code", "metadata": {"tags": ["solution", "6b"]},
            "source": ["### BEGIN SOLUTION\n", "x = 3\n", "### END SOLUTION"]}
    (tmp_path / "06_x.ipynb").write_text(json.dumps({"cells": [cell]}), encoding="utf-8")
    monkeypatch.setattr(helping, "NOTEBOOKS", tmp_path)
    assert helping.solution_text("6b") == "x = 3" and helping.solution_text("6c") is None
    monkeypatch.setattr(helping, "NOTEBOOKS", tmp_path / "nowhere")  # the package was copied elsewhere
    monkeypatch.chdir(tmp_path)
    assert helping.solution_text("6b") == "x = 3"


@pytest.mark.parametrize(("answer", "right"), [
    ({"slope": 16.75, "f moves by": 3}, 1), ({"slope": 16.75, "f moves by": 0.0335}, 2),
    ({"slope": None, "f moves by": 0.0335}, 1), (None, 0), (object(), 0)])
def test_points_are_given_for_each_right_part(answer, right):
    assert count("1a", answer) == right


def test_points_of_choices_and_programs():
    right = exercise("6a").expected(None)
    assert count("6a", right) == 8 and count("6a", list(exercise("6a").choices)) == 0
    assert count("6a", right | {"t * 5"}) == 6
    w = exercise("2b").example(None)
    assert count("2b", w * 1) == 0  # four things are looked at, for one point


def test_an_assignment_shows_no_solution(monkeypatch, capsys):
    check("6b", [1, 2, 3, 4, 5])
    assert 'solution("6b") shows one way' in capsys.readouterr().out
    monkeypatch.setenv(helping.NO_SOLUTIONS, "off")
    solution("6b")
    assert "there is no solution here" in capsys.readouterr().out
    check("6b", [1, 2, 3, 4, 5])
    assert "solution(" not in capsys.readouterr().out


@pytest.mark.parametrize(("attempts", "opens"), [
    (["asdf"], False), ([None], False), ([object()], False), (["asdf", "asdf"], True), ([[3.0, None]], True),
    ([["3.5", 1]], True), ([[]], False), ([[1, 2, 3, 4]], False), ([int], False)])
def test_a_solution_opens_after_a_real_attempt_or_two_of_any_kind(attempts, opens, capsys):
    for answer in attempts:
        check("1a", answer)
    assert ("solution(" in capsys.readouterr().out) is opens
    solution("1a")
    assert ("1a: Try it first. The solution opens after" not in capsys.readouterr().out) is opens


def test_a_solution_opens_after_both_hints(capsys):
    hint("1a")
    solution("1a")
    assert "after both hints of hint(" in " ".join(capsys.readouterr().out.split())
    hint("1a")
    capsys.readouterr()
    solution("1a")
    assert "Try it first" not in capsys.readouterr().out


@pytest.mark.parametrize("asked", [check, hint, solution])
@pytest.mark.parametrize(("key", "said"), [
    (0, 'Write the name of the exercise in quotes, as in "6b"; this is 0.\n'),
    ("6z", "There is no exercise '6z'; chapter 6 has 6a, 6b, 6c, and 6e for your engine."),
    ("4d", "There is no exercise '4d'; chapter 4 has 4a, and 4e1, 4e2"),
    ("no such", "exercises are named as in \"6b\""),
    ("99a", "There is no exercise '99a'"), (None, "in quotes")])
def test_a_name_that_is_none_is_answered_with_those_that_are(asked, key, said, capsys):
    asked(key)
    assert said in capsys.readouterr().out


def test_names_are_read_with_tolerance(capsys):
    hint(" 6B ")
    assert capsys.readouterr().out.startswith("6b: hint 1 of 2. ")


def test_check_never_raises(capsys):
    class Nasty:
        def __getattr__(self, name):
            raise RuntimeError("no")

        def __eq__(self, other):
            raise RuntimeError("never")

    for answer in (Nasty(), [Nasty()], {1: Nasty()}, float("inf"), b"x", range(3), lambda: 1, Exercise):
        for one in EVERY:
            check(one.id, answer)
            assert capsys.readouterr().out.startswith(f"✗ {one.id}")


def test_right_is_one_line():
    assert as_text(*judged(PLAIN, [1.5, 3])) == "✓ 0a: right" and judged(PLAIN, [1.5, 3])[0] == RIGHT


# --- answers that never end

def with_a_loop(*_):
    while True:
        try:
            int("1")
        except Exception:   # as a learner may write it
            pass


def test_an_answer_that_never_ends_is_stopped_and_the_next_one_is_judged(monkeypatch):
    monkeypatch.setattr("minigrad.book.classroom.judging.SECONDS", 0.3)
    for key in "7b", "8b":
        says = first_wrong(exercise(key), with_a_loop, exercise(key).numbers(None))
        assert says == "Your answer had not finished after 0.3 seconds. Does it have a loop that never ends?"
    assert first_wrong(exercise("1a"), (16.75, 0.0335), 2.5) is None
    assert torch.is_grad_enabled()


def test_the_limit_takes_back_what_came_too_late():
    for _ in range(200):
        with contextlib.suppress(TooLong), time_limit(1e-4):
            time.sleep(1e-4)
    assert sum(range(1000)) == 499500
