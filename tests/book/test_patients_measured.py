"""What the measurements show of the patients: the stored table, the page, and a few scripts again."""
from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from minigrad.book.build.page_of_measurements import (
    ENTRIES,
    shown_by,
    unshown,
    words_of,
)
from minigrad.book.classroom.measurements import MEASUREMENTS
from minigrad.book.classroom.patients.bugs import BUGS
from tests.helpers import (
    chart,
    examining,
    patients_measured,
    patients_overfitted,
    patients_page,
    patients_watched,
    solver,
)
from tests.helpers.patients_measured import HEALTHY, HELD, SEEN, source_of, stored

LIBRARIES = ["minigrad", *(["torch"] if find_spec("torch") else [])]
# With these bugs, four rows keep a loss that isn't near 0: with every optimizer, or with the script's own.
FOUR_ROWS = ("softmax_twice", "error_broadcast", "probabilities_for_logs", "softmax_over_rows",
             "sigmoid_twice", "all_columns_picked", "half_overflows")
FOUR_ROWS_OWN = ("head_after_optimizer", "decay_of_weights", "bytes_wrap")
AGAIN = [("seen", "7"), ("healthy", "3")]


def test_all_scripts_are_stored():
    groups = stored()
    assert [*map(int, groups["held"])] == [*HELD]
    assert [*map(int, groups["seen"])] == [*SEEN]
    assert [*map(int, groups["healthy"])] == [*HEALTHY]
    unmeasured = [bug for bug in BUGS if not patients_measured.scripts_with(bug)]
    assert not unmeasured, f"no stored script has {unmeasured}: python -m tests.helpers.solver --write"


def test_the_solver_names_both_bugs_of_enough_held_patients():
    _, both, _, other = patients_page.solved("held")
    assert both >= patients_page.LEAST
    assert other <= 3


def test_the_solver_names_nothing_in_healthy_scripts():
    assert patients_page.solved("healthy")[3] == 0


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("job", AGAIN, ids="/".join)
def test_a_script_is_measured_as_it_was(job, library):
    group, key = job
    assert [[*pair] for pair in solver.named(source_of(*job), library)] == stored()[group][key]


@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_lists_the_measurements_that_showed_it(bug):
    assert BUGS[bug].measurements.split() == patients_page.shown_by(bug)


def test_the_page_is_the_stored_one():
    assert patients_page.PAGE.read_text(encoding="utf-8") == patients_page.text()


def test_the_printed_page_says_what_was_measured():
    assert [*ENTRIES] == [function.__name__ for function in MEASUREMENTS]
    measured = {words_of(bug): patients_page.shown_by(bug) for bug in BUGS}
    for name in ENTRIES:
        assert shown_by(name) == [bug for bug, names in measured.items() if name in names]
    assert unshown() == [bug for bug, names in measured.items() if not names]


def test_the_printed_page_says_which_bugs_keep_the_loss_of_four_rows_high():
    high = [{bug for bug in BUGS if patients_overfitted.kept_above(bug, at)} for at in (0, 1)]
    assert high[0] == {*FOUR_ROWS}
    assert high[1] - high[0] == {*FOUR_ROWS_OWN}
    assert high[0] <= high[1]


def test_the_rules_see_a_chart_and_no_text():
    for module in (solver, examining, chart):
        text = Path(module.__file__).read_text(encoding="utf-8")
        assert ".healthy" not in text and ".lines(" not in text
        assert module is solver or not any(bug in text for bug in BUGS)


def test_an_answer_of_watch_is_the_stored_one():
    key, found = patients_watched.told(("bug", "average_alias"))
    kept = patients_watched.stored()[key]
    assert [claim[:2] for claim in found["watch"]] == [claim[:2] for claim in kept["watch"]]


def test_why_and_watch_claim_nothing_about_healthy_scripts():
    for key, answers in patients_watched.stored().items():
        if key.startswith("healthy/"):
            assert not answers["why"] and not answers["watch"], key
