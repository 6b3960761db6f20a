"""Patients that nobody stored are programs, too: they run, and their bugs don't overlap."""
from __future__ import annotations

import re
from dataclasses import replace

import pytest

from minigrad.book.classroom.patients import patient
from minigrad.book.classroom.patients.backend import for_minigrad
from minigrad.book.classroom.patients.bugs import BUGS
from minigrad.book.classroom.patients.candidate import LEVELS, Candidate, is_any_order, is_whole
from minigrad.book.classroom.patients.compose import Chance, compose
from minigrad.book.classroom.patients.found import STORE, recipes, store
from minigrad.book.classroom.patients.numbers_compared import LARGEST, is_patient
from minigrad.book.classroom.patients.parts.data_parts import DATA
from minigrad.book.classroom.patients.patient_symptom import symptom
from minigrad.book.classroom.patients.script import Line, spliced
from minigrad.book.classroom.patients.tidy import repeated, unused
from minigrad.book.classroom.patients.verifying import printed


@pytest.mark.parametrize("seed, level", [(304, 2), (5001, 1), (1234, 3)])
@pytest.mark.parametrize("library", ["minigrad", "torch"])
def test_a_patient_made_from_a_recipe_prints_what_is_stored(seed, level, library):
    if library == "torch":
        pytest.importorskip("torch")
    one = patient(seed, level)
    assert f"{level}/{seed}" not in store()["seeds"]
    assert is_patient(one.numbers, one.is_accuracy)
    for name, text in one.made.versions().items():
        assert float(printed(text if library == "torch" else for_minigrad(text))) == one.numbers[name]


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_dealt_is_what_a_person_would_write(level):
    for seed in (*range(60, 70), *range(1000, 1010)):
        one = patient(seed, level)
        assert len(one.looks) == LEVELS[level][1]
        assert not unused(one.healthy) and not repeated(one.source)
        calls = [line.strip() for line in one.source.splitlines() if "zero_grad()" in line]
        assert len(calls) == len({*calls})
        assert not re.search(r"# .*(needs no graph|for the plots|one block|drawn, too)", one.source)


def test_most_seeds_have_a_script_of_their_own():
    assert len(recipes(2)) > 150
    assert len({patient(seed).source for seed in range(1000, 1040)}) > 36
    assert STORE.stat().st_size < 200_000


def test_no_script_that_diverges_is_dealt():
    numbers = [row[-1] for row in [*store()["seeds"].values(), *store()["recipes"]]]
    assert not any(number > LARGEST for row in numbers for number in row.values())
    assert not is_patient({"healthy": 0.1, "ill": 696.633}, False)


def test_unused_names_are_found():
    assert unused("import torch\nsize = 3\ncurve = []\ncurve.append(torch)\nfor at in (1, 2):\n    pass") == [
        "curve", "size"]
    assert repeated("a.zero_grad()\nfor at in x:\n    a.zero_grad()") == ["a.zero_grad()"]


def test_bugs_in_the_same_lines_are_no_pair():
    pair = (BUGS["features_off_the_record"], BUGS["hidden_detached"])
    scripts = [compose(Chance("bugs", at), DATA[at % len(DATA)]) for at in range(300)]
    both = [Candidate(script, pair, ()) for script in scripts if all(bug.fits(script) for bug in pair)]
    assert both
    assert not any(is_whole(one) for one in both if "with torch.no_grad():    # saves" in one.ill().text)
    assert not all(is_any_order(one) for one in both)


@pytest.mark.parametrize("lines", [["nobody = 3"], ["print(1)", "print(1)"], ["print(1))"]])
def test_a_script_with_an_unused_name_a_line_twice_or_a_mistake_is_not_whole(lines):
    made = patient(1234).made
    healthy = spliced(made.healthy, 1, 1, [Line(line) for line in lines])
    assert is_whole(made)
    assert not is_whole(replace(made, healthy=healthy))


def test_a_script_that_fails_is_no_patient():
    for text in ("1 / 0", "import warnings\nwarnings.warn('careful')\nprint(1.)"):
        with pytest.raises((ZeroDivisionError, UserWarning)):
            printed(text)
    assert printed("print(float('nan'))") == "nan"


@pytest.mark.parametrize("ill", [float("nan"), 0.9155])
@pytest.mark.parametrize("accuracy", [True, False])
def test_every_symptom_says_what_the_repaired_script_does(ill, accuracy):
    for healthy in (0.003, 0.4, 0.98):
        said = symptom(ill, healthy, accuracy, 2)
        assert "The repaired script " in said
        assert f" {healthy}" not in said
        assert str(ill) in said
