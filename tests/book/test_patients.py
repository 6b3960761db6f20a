"""Patients: every script runs, every bug shows in the number, and no look-alike changes it."""
from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from itertools import islice

import numpy as np
import pytest

import minigrad
from minigrad.book.classroom.patients import patient
from minigrad.book.classroom.patients.backend import for_minigrad
from minigrad.book.classroom.patients.bug import KINDS
from minigrad.book.classroom.patients.bugs import BUGS
from minigrad.book.classroom.patients.candidate import LEVELS, LONGEST, SHORTEST
from minigrad.book.classroom.patients.compose import Chance, compose
from minigrad.book.classroom.patients.found import store
from minigrad.book.classroom.patients.lookalikes import LOOK_ALIKES
from minigrad.book.classroom.patients.numbers_compared import is_better, is_patient, is_same
from minigrad.book.classroom.patients.parts.data_parts import DATA
from minigrad.book.classroom.patients.verifying import printed
from minigrad.book.classroom.reading import Misread
from tests.house import ROOT

HAS_TORCH = importlib.util.find_spec("torch") is not None


@cache
def healthy_script(at):
    """Return one of many healthy scripts."""
    return compose(Chance("test", at), DATA[at % len(DATA)])


def fitting(change, most):
    """Return the first scripts that a bug or a look-alike fits; some bugs fit few of many."""
    return list(islice(filter(change.fits, map(healthy_script, range(700))), most))


@cache
def word(text):
    """Return what a script prints with minigrad."""
    return printed(for_minigrad(text))


@cache
def number(text):
    """Return what a script prints, and whether PyTorch, if it is here, prints the same, without a warning."""
    found = float(word(text))
    return found, not HAS_TORCH or is_same(float(printed(text)), found)


# --- scripts ---

@pytest.mark.parametrize("at", range(len(DATA)))
def test_a_healthy_script_trains(at):
    script = healthy_script(at)
    assert script.text.startswith("import torch\n")
    assert SHORTEST <= len(script.numbered()) <= LONGEST
    for handle in ("model = ", "optimizer = ", "test_x", "def loss_of(x, y):", ".backward()", ".step()",
        "print("):
        assert handle in script.text
    found, same = number(script.text)
    assert same
    most = 2.31 if "digits" in script.traits else 1.5
    assert found > 0.6 if "accuracy" in script.traits else found < most


def test_seeds_give_the_same_script_in_every_process():
    code = ("from minigrad.book.classroom.patients.compose import Chance, compose\n"
            "from minigrad.book.classroom.patients.parts.data_parts import DATA\n"
            "print([compose(Chance('test', at), DATA[at % len(DATA)]).text for at in range(40)])")
    for hashes in ("0", "1"):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                              cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hashes})
        assert done.stdout.strip() == str([healthy_script(at).text for at in range(40)])


# --- bugs and look-alikes ---

def test_there_are_bugs_of_every_kind():
    assert len(BUGS) >= 32
    assert {bug.kind for bug in BUGS.values()} == set(KINDS)


@pytest.mark.parametrize("name", BUGS)
def test_a_bug_makes_the_number_worse(name):
    bug = BUGS[name]
    for script in fitting(bug, 3):
        ill = bug.planted(script)
        assert bug.lines(ill)
        assert ill.text != script.text
        (healthy, same), (bad, also) = number(script.text), number(ill.text)
        if same and also and is_better(healthy, bad, "accuracy" in script.traits):
            return
    pytest.fail("in none of three scripts")


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_a_look_alike_changes_no_number(name):
    one = LOOK_ALIKES[name]
    scripts = fitting(one, 2)
    assert len(scripts) == 2
    for script in scripts:
        assert word(one.planted(script).text) == word(script.text)


@pytest.mark.parametrize("name", [*BUGS, *LOOK_ALIKES])
def test_what_is_said_is_whole_sentences(name):
    one = BUGS.get(name) or LOOK_ALIKES[name]
    said = [one.says] + ([*one.hints, one.fix] if name in BUGS else [])
    for text in said:
        assert text[0] == "`" or text[0].isupper() or text.startswith("float32")
        assert text[-1] in ".?"
        assert "  " not in text
    assert name not in BUGS or len(one.hints) == 3


# --- patients ---

@pytest.mark.parametrize("seed, level", [(44, 1), (0, 2), (22, 3)])
def test_a_stored_patient_is_verified(seed, level):
    one = patient(seed, level)
    assert f"{level}/{seed}" in store()["seeds"]
    assert (len(one.bugs), len(one.looks)) == LEVELS[level]
    assert is_patient(one.numbers, one.is_accuracy)
    for name, text in one.made.versions().items():
        found, same = number(text)
        assert same
        assert is_same(found, one.numbers[name])
    assert SHORTEST <= len(one.source.splitlines()) <= LONGEST


def test_neighbours_differ_in_structure():
    stored = [*map(patient, range(40))]
    for one, other in zip(stored, stored[1:]):
        assert one.source != other.source
        assert {bug.name for bug in one.bugs} != {bug.name for bug in other.bugs}
        shared = set(one.source.splitlines()) & set(other.source.splitlines())
        assert len(shared) < 0.6 * len(one.source.splitlines())


def test_every_seed_has_a_patient_within_three_seconds():
    state, began = minigrad.get_rng_state(), time.process_time()
    for seed in (1234, 6123, 5001, 999_999_999):
        one, other = patient(seed, 1), patient(np.int64(seed), level=1)
        assert one.source == other.source
        assert is_patient(one.numbers, one.is_accuracy)
    assert time.process_time() - began < 3
    assert minigrad.equal(state, minigrad.get_rng_state())


def test_it_shows_the_script_and_the_symptom_alone():
    one = patient(7)
    for shown in (repr(one), one._repr_html_()):
        assert one.symptom.split(".")[0] in shown
        assert not any(bug.name in shown or bug.says in shown for bug in one.bugs)
    assert "<script" not in one._repr_html_()
    assert str(one.numbers["healthy"]) not in one.symptom


@pytest.mark.parametrize("seed", [-1, 10**9, "7", 7.0, True, None, [7], np.bool_(True), object])
def test_a_strange_seed_gets_a_sentence(seed):
    with pytest.raises(Misread, match=r"A seed is a whole number from 0 to 999999999, as in `patient\(7\)`; "
                                      r".* isn't"):
        patient(seed)


@pytest.mark.parametrize("level", [0, 4, "2", True, None])
def test_a_strange_level_gets_a_sentence(level):
    with pytest.raises(Misread, match="There are the levels 1"):
        patient(7, level)


# --- answers ---

@pytest.fixture
def one():
    return patient(7)


def right_lines(one):
    """Return one line for each bug."""
    return [one.lines(bug)[0] for bug in one.bugs]


def test_a_right_answer(one):
    healthy = one.numbers["healthy"]
    lines = right_lines(one)
    forms = (lines, lines[::-1], tuple(lines), set(lines), f"{lines[0]} and {lines[1]}", np.array(lines),
             minigrad.tensor(lines), [float(lines[0]), lines[1]])
    for given in forms:
        for said in (healthy, str(healthy), np.float64(healthy), minigrad.tensor(healthy), [healthy]):
            found = one.check(given, said)
            assert found.right
            assert found.points == 3
            assert repr(found).startswith("✓")


def test_half_of_an_answer(one):
    first, second = one.bugs
    line = one.lines(first)[0]
    found = one.check(line)
    assert (found.right, found.points) == (False, 1)
    assert f"Line {line} is right." in repr(found)
    assert "What does the repaired script print?" in repr(found)
    assert second.says not in repr(found)
    assert "when the bug of line" in " ".join(repr(one.check(line, one.numbers[first.name])).split())
    assert "before anything is repaired" in " ".join(repr(one.check(None, one.numbers["ill"])).split())


def test_every_line_gets_a_sentence_and_no_innocent_one_is_asked_why_it_was_named():
    for seed in range(0, 100, 3):
        one = patient(seed)
        for line in range(1, len(one.source.splitlines()) + 1):
            said = repr(one.check(line))
            assert f"Line {line} " in said and "None" not in said
            assert "led you there?" not in said and "Is it used?" not in said


def test_a_look_alike_is_called_innocent(one):
    for look in one.looks:
        said = " ".join(repr(one.check(look.lines(one.script)[0])).split())
        assert "is innocent" in said


@pytest.mark.parametrize("lines, number, says", [
    (None, None, "not answered yet"), ([], None, "not answered yet"), ([None, None], ..., "not answered yet"),
    ("x", 1., "Lines have numbers"), (True, 1., "Lines have numbers"), ([1.5], 1., "Lines have numbers"),
    ({1: 2}, 1., "Lines have numbers"), (float("nan"), 1, "Lines have numbers"),
    (0, 1., "there is no line 0"), (10**30, 1., "there is no line"), (range(1, 9), 1., "you named 8"),
    (1, "high", "is a number; 'high' isn't one"), (1, True, "is a number"), (1, [1, 2], "is a number"),
    (1, {}, "only imports"), (1, float("nan"), "doesn't print nan"),
    (1, float("inf"), "doesn't print inf"), (1, -1e300, "change nothing else"), (1, 10**400, "is a number"),
])
def test_a_strange_answer_gets_a_sentence(one, lines, number, says):
    found = one.check(lines, number)
    assert says in " ".join(repr(found).split())
    assert not found.right


def test_hints_come_in_three_steps_for_each_bug(one):
    said = [" ".join(repr(one.hint()).split()) for _ in range(7)]
    assert "hint 1 of 6" in said[0]
    assert "hint 6 of 6" in said[5]
    assert said[5] == said[6]
    assert len(set(said)) == 6


def test_a_missing_line_may_be_named_by_its_neighbours_and_the_given_line_is_quoted():
    one = patient(70)
    for line in (35, 36, 38, 39):
        assert one.check([one.lines(one.bugs[0])[0], line], one.numbers["healthy"]).right
    said = " ".join(repr(one.check([38], one.numbers["zero_forgotten"])).split())
    assert "when the bug of line 38 is repaired" in said


def test_a_stored_patient_is_still_the_one_that_was_verified_and_takes_each_place_of_a_missing_line():
    for key, (_, numbers) in store()["seeds"].items():
        level, seed = map(int, key.split("/"))
        one = patient(seed, level)
        assert one.numbers is numbers and {*numbers} == {*one.made.versions()}
        own = {line for bug in one.bugs for line in one.lines(bug)}
        for bug in one.bugs:
            assert one.accepted(bug) >= {*one.lines(bug)}
            others = [one.lines(other)[0] for other in one.bugs if other is not bug]
            for line in one.accepted(bug) - own:
                assert one.check([line, *others], numbers["healthy"]).right
            if bug.name == "eval_forgotten":
                end = one.script.with_roles(["number"])[-1]
                assert one.accepted(bug) >= {end, end - 1} - {line for look in one.looks
                                                              for line in look.lines(one.script)}


# The role of the line that each of these bugs leaves out or moves.
MISPLACED = {"zero_forgotten": "zero", "zero_once_an_epoch": "zero", "head_emptied_before_step": "zero_head",
             "step_before_pass": "step", "head_never_steps": "step_head", "eval_forgotten": "eval",
             "schedule_each_batch": "schedule_step"}


def repaired_beside(one, bug, line):
    """Yield a patient's text with the missing or moved line before a line and behind it, at each depth."""
    marked = one.script.marked(bug.name)
    rows = [(number, row) for number, row in one.script.numbered() if number not in marked]
    put, = [row.text.strip() for row in one.made.healthy.lines if MISPLACED[bug.name] in row.roles]
    full = [at for at, (_, row) in enumerate(rows) if row.text.strip()]
    here = next(at for at in full if rows[at][0] == line)
    for at in (full[full.index(here) - 1], here):
        above, below = rows[at][1], next((rows[more][1].indent for more in full if more > at), "")
        opens = above.text.partition("#")[0].rstrip().endswith(":")
        for depth in range(len(below), len(above.indent) + 4 * opens + 1, 4):
            texts = [row.text for _, row in rows]
            yield "\n".join([*texts[:at + 1], " " * depth + put, *texts[at + 1:]])


@pytest.mark.parametrize("name", MISPLACED)
def test_a_line_is_taken_for_a_missing_one_if_that_can_stand_beside_it(name):
    """A right place gives the healthy number."""
    found = [(one, bug) for one in map(patient, range(160)) for bug in one.bugs if bug.name == name][:2]
    assert found
    for one, bug in found:
        own = {*one.script.marked(name), *one.script.with_roles(["schedule"])}
        full = {at for at, line in one.script.numbered() if line.text.strip()}
        for line in one.accepted(bug) & full - own:
            assert any(gives(text, one.numbers[name]) for text in repaired_beside(one, bug, line)), line


def gives(text, expected):
    """Return whether a script runs without a warning, and prints a number with both libraries."""
    with suppress(Exception):
        found, same = number(text)
        return same and is_same(found, expected)
    return False


def test_of_a_schedule_that_advances_with_each_batch_few_lines_are_taken():
    """Line 39 advances it; it belongs behind line 41, and before line 42. There are 5 batches in an epoch."""
    one, healthy = patient(99), patient(99).numbers["healthy"]
    taken = [line for line in range(1, 49) if one.check([21, line], healthy).right]
    assert taken == [25, 39, 41, 42]
    longer = one.source.replace("step_size=10", "step_size=50")
    assert number(longer) == (one.numbers["schedule_each_batch"], True)


def test_a_bug_takes_few_lines_unless_a_line_is_missing_or_in_a_wrong_place():
    for level in LEVELS:
        for one in (patient(seed, level) for seed in range(120)):
            for bug in one.bugs:
                lines = one.accepted(bug)
                assert one.lines(bug) and lines >= {*one.lines(bug)}
                assert len(lines) <= (4 if bug.name not in MISPLACED else 11), (one.name, bug.name)


def test_right_lines_with_half_a_repair():
    one = next(one for one in map(patient, range(100)) if "whole_division" in {bug.name for bug in one.bugs})
    said = " ".join(repr(one.check([one.lines(bug)[-1] for bug in one.bugs], -0.05)).split())
    assert "in a second line, too" in said
    said = " ".join(repr(patient(7).check(right_lines(patient(7)), 7.)).split())
    assert "a repair isn't complete" in said
