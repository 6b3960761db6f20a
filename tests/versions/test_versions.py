"""What is said of releases of PyTorch is what they answered, and the newest differs as it is known to."""
from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import minigrad
from minigrad import errors
from minigrad.book.content.cases import CASES
from minigrad.book.content.chapters import ch14
from minigrad.viz.errors.explain import cause_of
from tests import ROOT
from tests.conformance import run as judge
from tests.engine.test_recorded import assert_close
from tests.helpers.answers import load as load_answers
from tests.helpers.explained_programs import PROGRAMS

from . import REFERENCE, answer, comparable, load, number, page, versions
from .__main__ import with_answers
from .asking import FILES, gallery, named_cells, run, said_by
from .changes import CHANGES
from .differences import PROGRAMS as DIFFERENT
from .differences import TESTS, expected, installed

DATA = load()
EVERY = versions(DATA)
KINDS = [kind for kind in DATA if kind != "versions"]


def test_seven_releases_answered_everything():
    assert len(EVERY) == 7
    assert REFERENCE in EVERY
    for kind in {*KINDS} - {"cells"}:
        for name, answers in DATA[kind].items():
            assert [one for one in EVERY for _, given in answers if one in given] == EVERY, (kind, name)


def test_each_cell_that_rebuilds_an_example_was_asked_under_its_present_name():
    """A cell that was written after a release was recorded has no answer of it; the page says so."""
    every = [*map(named_cells, FILES), gallery()]
    assert list(DATA["cells"]) == [name for programs in every for name, _ in programs if name]
    for name, answers in DATA["cells"].items():
        assert {REFERENCE, EVERY[-1]} <= {one for _, given in answers for one in given}, name


def test_nothing_of_the_machine_that_asked_is_kept():
    said = [text for kind in KINDS for answers in DATA[kind].values() for text, _ in answers]
    assert not [text for text in said if text != comparable(text)]
    assert not [text for text in said if "/tmp" in text or "site-packages" in text or "asking.py" in text]


# --- the page

@pytest.mark.parametrize("path", page.texts(), ids=lambda path: path.name)
def test_what_is_generated_is_up_to_date(path):
    """Or else: python -m tests.write."""
    assert path.read_text(encoding="utf-8") == page.texts()[path]


@pytest.mark.parametrize("change", CHANGES, ids=[change.slug for change in CHANGES])
def test_a_change_is_one(change):
    assert len(DATA["changes"][change.slug]) > 1


@pytest.mark.parametrize("change", CHANGES, ids=[change.slug for change in CHANGES])
def test_the_words_of_a_change_name_no_release(change):
    """What they say must be true of any list of releases; the recorded answers name them."""
    assert not [one for one in EVERY if one in change.title + change.says]


@pytest.mark.parametrize("change", CHANGES, ids=[change.slug for change in CHANGES])
def test_minigrad_prints_what_the_reference_prints(change, monkeypatch):
    """Where it has the names; PyTorch adds advice on its compiler to one of the messages."""
    monkeypatch.setattr(errors, "given_warnings", set())    # other tests may have been warned already
    code = change.code.replace("from torch.", "from minigrad.")
    said = said_by(lambda: run(f"import minigrad as torch\n{code}", {"__name__": "__main__"}))
    absent = "It covers what the book needs" in said
    assert absent or answer(DATA["changes"][change.slug], REFERENCE).startswith(said)
    assert said


def test_releases_are_named_in_runs():
    assert page.spoken(["1.13.1"], EVERY) == "1.13.1"
    assert page.spoken(EVERY, EVERY) == "1.13.1 to 2.14.1"
    assert page.spoken([EVERY[0], *EVERY[2:5], EVERY[6]], EVERY) == "1.13.1, 2.3.1 to 2.9.1 and 2.14.1"
    assert page.spoken(EVERY[5:], EVERY) == "2.13.0 and 2.14.1"


def test_of_messages_with_several_lines_those_that_differ_are_shown():
    assert page.differing(["a\nb\nc", "a\nd\nc"]) == ["b", "d"]
    assert page.differing(["one", "two"]) == ["one", "two"]


def test_a_release_that_is_asked_again_answers_once():
    data = with_answers({}, "2.0.1", {"clinic": {"freed": "a"}})
    data = with_answers(data, "1.13.1", {"clinic": {"freed": "a"}})
    data = with_answers(data, "2.0.1", {"clinic": {"freed": "b"}})
    assert data == {"versions": ["1.13.1", "2.0.1"],
                    "clinic": {"freed": [["a", ["1.13.1"]], ["b", ["2.0.1"]]]}}


def test_exercise_14a_says_what_clamp_does():
    why = next(one.why for one in ch14.EXERCISES if one.id == "14a")
    said = re.search(r"gradient of `clamp` is (\d) in PyTorch ([\d.]+) and (\d) in ([\d.]+\d)", why)
    for value, release in (said.group(1, 2), said.group(3, 4)):
        assert answer(DATA["changes"]["clamp-min-at-bound"], release).startswith(f"tensor({value}.")
    assert {text.splitlines()[1] for text, _ in DATA["changes"]["clamp-min-at-bound"]} == {"False"}


# --- explain()

def messages(kind, name):
    return [text for text, _ in DATA[kind].get(name, ())]


def cause(message):
    """What `explain` calls an error with this message, given as "RuntimeError: ..."."""
    found = cause_of(Exception(message.partition(": ")[2]))
    return found[0].name if found else None


@pytest.mark.parametrize("name", PROGRAMS)
def test_explain_knows_the_error_in_every_release(name):
    assert {cause(message) for message in messages("explained", name) if message} <= {PROGRAMS[name].cause}


def test_the_releases_that_raise_nothing_are_known():
    """They compute a gradient from tensors of another shape."""
    silent = {name: given for name, answers in DATA["explained"].items()
              for text, given in answers if not text}
    assert silent == {"checkpoint_of_other_tensors": ["1.13.1", "2.0.1"]}


@pytest.mark.parametrize("case", CASES, ids=[case.slug for case in CASES])
def test_the_clinic_shows_the_message_of_the_reference(case):
    raised = answer(DATA["clinic"].get(case.slug, ()), REFERENCE)
    assert raised is None or raised.partition("\n\nTip: ")[0] == comparable(case.message)


# --- the newest

needs_newer = pytest.mark.skipif(number(installed() or "0") <= number(REFERENCE),
                                 reason="PyTorch is not newer than the reference, so nothing differs")


RECORDED_ANEW = """
import json, torch
from tests.recorded import measured, programs
print(json.dumps({name: measured(torch, program) for name, program in programs().items()}))
"""


def recorded_that_differ():
    """Return {name: the difference} of the programs of tests/recorded, which a new process runs.

    PyTorch gives some warnings once in a process, and other tests may have had them.
    """
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", RECORDED_ANEW], cwd=ROOT,
                          capture_output=True, text=True, check=True)
    found, stored = {}, load_answers("recorded")
    for name, got in json.loads(done.stdout).items():
        try:
            assert_close(got, stored[name], name)
        except AssertionError as error:
            found[name] = str(error)
    return found


@needs_newer
def test_the_programs_differ_from_the_reference_where_it_is_known():
    folder = Path(judge.__file__).parent
    options = argparse.Namespace(corpus=str(folder), module="torch", python=sys.executable, timeout=60.0,
                                 diff=False, path=[])
    judged = [judge.judge(*answer, options)
              for answer in judge.execute_all(judge.scripts_in(str(folder)), options)]
    different = {name: reason for name, passed, reason, _ in judged if not passed} | recorded_that_differ()
    known = expected(DIFFERENT)
    assert set(different) == set(known), {name: different.get(name, f"no longer: {known.get(name)}")
                                          for name in set(different) ^ set(known)}


def test_known_differences_begin_after_the_reference():
    for told in (*DIFFERENT.values(), *TESTS.values()):
        assert number(told.since) > number(REFERENCE)
        assert told.since in EVERY
    assert expected(TESTS, REFERENCE) == {}
    assert set(expected(TESTS, "9.0")) == set(TESTS)


def test_the_tests_that_differ_exist():
    for name in TESTS:
        file, _, function = name.partition("::")
        text = (Path(minigrad.__file__).parents[1] / file).read_text(encoding="utf-8")
        assert f"def {function.partition('[')[0]}(" in text
