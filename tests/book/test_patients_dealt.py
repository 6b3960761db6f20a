"""Patients that nobody stored are programs, too: they compile, they run, and their bugs don't overlap."""
from __future__ import annotations

import json
import math
from itertools import count

import pytest

from minigrad.book.patients import patient
from minigrad.book.patients.bugs import BUGS
from minigrad.book.patients.candidate import Candidate, candidate, is_any_order, is_whole
from minigrad.book.patients.compose import Chance, compose
from minigrad.book.patients.found import search, table
from minigrad.book.patients.numbers_compared import is_patient
from minigrad.book.patients.parts.data import DATA
from minigrad.book.patients.run_texts import last_number
from minigrad.book.patients.symptom import symptom

SEEDS = range(300, 500)


@pytest.mark.parametrize("level", [1, 2, 3])
def test_every_version_of_many_candidates_compiles(level):
    for seed in SEEDS:
        made = next(filter(None, (candidate(seed, level, attempt) for attempt in count())))
        for name, text in made.versions().items():
            compile(text, f"<patient {seed}, {name}>", "exec")


@pytest.mark.parametrize("seed, level", [(304, 2), (300, 1)])
def test_a_patient_that_is_not_stored_runs(seed, level):
    one = patient(seed, level)
    assert f"{level}/{seed}" not in table()
    assert is_patient(one.numbers, one.is_accuracy)
    assert one.run().says == ""
    assert one.run().number == pytest.approx(one.numbers["ill"], rel=0.01)
    assert "about" in one.symptom


def test_the_stored_patients_are_still_those_that_were_verified():
    for key, (attempt, numbers) in table().items():
        level, seed = map(int, key.split("/"))
        made = candidate(seed, level, attempt)
        assert made is not None
        assert {*numbers} == {*made.versions()}


def test_bugs_in_the_same_lines_are_no_pair():
    pair = (BUGS["features_off_the_record"], BUGS["hidden_detached"])
    scripts = [compose(Chance("bugs", at), DATA[at % len(DATA)]) for at in range(300)]
    both = [Candidate(script, pair, ()) for script in scripts if all(bug.fits(script) for bug in pair)]
    assert both
    assert not any(is_whole(one) for one in both if "with torch.no_grad():    # saves" in one.ill().text)
    assert not all(is_any_order(one) for one in both)


def test_a_script_that_fails_is_no_patient():
    assert last_number("1 / 0") is None
    assert last_number("import warnings\nwarnings.warn('careful')\nprint(1.)") is None
    assert math.isnan(last_number("print(float('nan'))"))
    asked = []

    def run_all(texts):
        asked.append(json.dumps(texts))
        fails = len(asked) == 1
        return {name: None if fails and name == "ill" else float(name == "ill") for name in texts}

    assert search(304, 1, run_all).attempt > 0
    assert len(asked) == 2


@pytest.mark.parametrize("ill", [float("nan"), 0.9155])
@pytest.mark.parametrize("accuracy", [True, False])
@pytest.mark.parametrize("exact", [True, False])
def test_every_symptom_says_what_the_repaired_script_does(ill, accuracy, exact):
    for healthy in (0.003, 0.4, 0.98):
        said = symptom(ill, healthy, accuracy, 2, exact)
        assert "The repaired script " in said
        assert f" {healthy}" not in said
        assert ("about 0.92" in said) == (not exact and ill == ill)
