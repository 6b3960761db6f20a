"""The page of the vocabulary lists every name, and says where it is defined."""
from __future__ import annotations

import re

import pytest

from tests.helpers import vocabulary


def test_the_page_is_the_generated_one():
    assert vocabulary.table_in_the_page() == vocabulary.table(), (
        "run: python -m tests.helpers.vocabulary --write")


@pytest.mark.parametrize("part", vocabulary.VOCABULARY)
def test_every_name_is_on_the_page(part):
    page = set(re.findall(r"\w+", vocabulary.table()))
    in_place = {f"{name}_" for name in vocabulary.ARITHMETIC.split()}   # one sentence says it
    assert set(vocabulary.VOCABULARY[part].split()) - in_place - {"Tensor", "Size", "dtype"} <= page


def test_a_name_of_more_is_in_its_column(monkeypatch):
    monkeypatch.setattr(vocabulary, "is_in_more", lambda part, name: name in ("sort", "topk"))
    row = next(row for row in vocabulary.table().split("\n") if row.startswith("| reducing"))
    _, _, core, more, _, _ = [cell.strip() for cell in row.split("|")]
    assert more == "`sort topk`"
    assert "median" in core
    assert "sort" not in core


def test_missing_names_are_found():
    class Package:
        tensor = None

    assert "zeros" in vocabulary.missing(Package)
    assert "tensor" not in vocabulary.missing(Package)
