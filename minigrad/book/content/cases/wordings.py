"""What the programs of the clinic raise in other releases of PyTorch.

`wordings.json` is written by `python -m tests.write` from the answers that were recorded there.
"""
from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_suffix(".json")


class Wording(NamedTuple):
    message: str  # what it says in these releases; of several lines, those that differ
    releases: str  # such as "2.3.1 to 2.9.1"


@functools.cache
def _recorded() -> dict:
    return json.loads(FILE.read_text(encoding="utf-8"))


def releases() -> list[str]:
    """Return the releases that were run, the oldest first."""
    return _recorded()["releases"]


def wordings(slug: str) -> list[Wording]:
    """Return what an error says in which releases, the oldest first; nothing if all say the same."""
    return [Wording(*one) for one in _recorded()["errors"].get(slug, ())]
