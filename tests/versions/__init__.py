"""What several releases of PyTorch answer to the programs of this book, and where the newest one differs.

    python -m tests.versions        in an environment with some PyTorch and NumPy: adds its answers

`recorded.json` holds the answers. What `docs/versions.md` and the error clinic say about a release is read
from there. `differences.py` says what a PyTorch that is newer than the reference does differently.

An answer is kept once, with the releases that gave it:

    {"clinic": {"assign-dtype": [["RuntimeError: assigned grad ...", ["1.13.1", "2.0.1"]], ...]}}
"""
from __future__ import annotations

import json
import re
from pathlib import Path

REFERENCE = "2.13.0"
RECORDED = Path(__file__).with_name("recorded.json")
# What no two runs share, and what depends on the machine where a release was built
MAY_DIFFER = (
    (re.compile(r" ?\(Triggered internally at [^)]*\)"), ""),
    (re.compile(r"\n\nAt:\n(?:  .*\n?)+"), ""),     # the frames of an older release
    (re.compile(r"0x[0-9a-fA-F]{6,}"), "0x..."),
    (re.compile(r"(?<![\w.:/])/[\w./+<>-]*/(?=[\w.+-]+)"), ""),
)


def comparable(text: str) -> str:
    """Return a text without addresses and without the folders of files."""
    for pattern, replacement in MAY_DIFFER:
        text = pattern.sub(replacement, text)
    return text.rstrip()


def load() -> dict:
    return json.loads(RECORDED.read_text(encoding="utf-8"))


def number(version: str) -> tuple[int, ...]:
    """Return the parts of a version as numbers, without what follows a plus sign."""
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:3])


def versions(data: dict | None = None) -> list[str]:
    """Return the releases that were asked, the oldest first."""
    return list((data or load())["versions"])


def answer(answers: list, version: str) -> str | None:
    """Return what a release answered; None: it was not asked."""
    return next((text for text, given in answers if version in given), None)
