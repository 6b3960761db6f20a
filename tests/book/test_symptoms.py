"""The symptom pages: every program shows its symptom, and every remedy removes it, on both libraries."""
from importlib.util import find_spec

import pytest

from minigrad.book.build.reader.measuring import last_line, measured, number, outcome, ran, repaired
from minigrad.book.content.cases.symptoms import SYMPTOMS

HEADS = ["import minigrad as torch\n"]
if find_spec("torch"):
    HEADS.append("import torch\n")
EACH = pytest.mark.parametrize("symptom", SYMPTOMS, ids=[one.slug for one in SYMPTOMS])
BOTH = pytest.mark.parametrize("head", HEADS)


def shown(code, head, start):
    done = ran(code, head, start)
    return done.message or done.printed


@EACH
@BOTH
def test_every_program_shows_the_symptom_and_every_remedy_removes_it(symptom, head):
    for cause in symptom.causes:
        assert cause.marks in cause.code, cause.slug
        ill = [last_line(shown(cause.code, head, start)) for start in range(symptom.runs)]
        if symptom.runs == 1:
            assert ill == [cause.prints] or not cause.exact, cause.slug
            assert not symptom.good(number(ill[0])), cause.slug
        else:
            assert ill[0] != ill[1], cause.slug
        for at, remedy in enumerate(cause.remedies):
            well = [last_line(shown(repaired(cause, at), head, start)) for start in range(symptom.runs)]
            assert well == [remedy.prints] * symptom.runs and symptom.good(number(well[0])), cause.slug


@EACH
def test_what_is_measured_has_an_outcome_on_the_page_and_no_two_causes_share_them_all(symptom):
    seen = {}
    for cause in symptom.causes:
        found = []
        for look in symptom.looks:
            found.append(outcome(look, measured(symptom, cause, look)).words)
        seen.setdefault(tuple(found), []).append(cause.slug)
    assert len(seen) > 1 or symptom.runs > 1
