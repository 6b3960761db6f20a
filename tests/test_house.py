"""The code keeps the rules of the house: one way of imports, short files, parts below ceilings."""
from __future__ import annotations

import pytest

from tests import house


@pytest.mark.parametrize("rule", house.RULES, ids=lambda rule: rule.__name__)
def test_rule(rule):
    assert rule() == []


def test_the_readme_shows_the_table_of_the_parts():
    assert house.table_in_the_readme() == house.table(), "run: python -m tests.house --write"
