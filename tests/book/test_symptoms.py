"""The symptom pages: every program shows its symptom, and every remedy removes it, on both libraries."""
import re
from importlib.util import find_spec

import pytest

from minigrad.book.build.reader.measuring import last_line, noted, outcome, ran, repaired
from minigrad.book.cases.symptoms import SYMPTOMS

HEADS = ["import minigrad as torch\n"]
if find_spec("torch"):
    HEADS.append("import torch\n")
EACH = pytest.mark.parametrize("symptom", SYMPTOMS, ids=[one.slug for one in SYMPTOMS])
BOTH = pytest.mark.parametrize("head", HEADS)


def number(line):
    return float(re.search(r"[-\w.]+$", line)[0])


@EACH
@BOTH
def test_every_program_shows_the_symptom_and_every_remedy_removes_it(symptom, head):
    for cause in symptom.causes:
        assert cause.marks in cause.code, cause.slug
        ill = [last_line(ran(cause.code, head, start)) for start in range(symptom.runs)]
        if symptom.runs == 1:
            assert ill == [cause.prints] or not cause.exact, cause.slug
            assert not symptom.good(number(ill[0])), cause.slug
        else:
            assert ill[0] != ill[1], cause.slug
        for at, remedy in enumerate(cause.remedies):
            well = [last_line(ran(repaired(cause, at), head, start)) for start in range(symptom.runs)]
            assert well == [remedy.prints] * symptom.runs and symptom.good(number(well[0])), cause.slug


@EACH
def test_what_is_measured_has_an_outcome_on_the_page_and_no_two_causes_share_them_all(symptom):
    seen = {}
    for cause in symptom.causes:
        found = []
        for look in symptom.looks:
            look = look._replace(calls=look.own.get(cause.slug, look.calls))
            told = noted(cause.code, look)
            if symptom.runs > 1:
                told = {**told, "second run": [noted(cause.code, look, start=1)]}
            found.append(outcome(look, told).words)
        seen.setdefault(tuple(found), []).append(cause.slug)
    assert len(seen) > 1 or symptom.runs > 1
