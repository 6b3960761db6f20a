"""What a class believes: the misconceptions in the progress files of a folder, counted.

    python -m minigrad.book report handed_in/ --html class.html

reads every `progress.json` (or any other .json that is one) under the folder. Nobody is named: a row is a
belief, a column how many held it, and how sure they were.
"""
from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from .misconceptions import MISCONCEPTIONS
from .progress import checked
from .questions import CONFIDENCE, Question

WIDTH = 20  # of the longest bar, in characters


@dataclass
class Class:
    """The counts of a class: by question and letter, by belief and confidence."""

    files: int = 0
    skipped: list[str] = field(default_factory=list)
    votes: dict[str, Counter] = field(default_factory=lambda: defaultdict(Counter))
    beliefs: dict[str, Counter] = field(default_factory=lambda: defaultdict(Counter))
    asked: Counter = field(default_factory=Counter)  # belief -> predictions in which it could be chosen
    exercises: dict[str, Counter] = field(default_factory=lambda: defaultdict(Counter))


def gather(folder: Path) -> Class:
    """Read every progress file under `folder`.

    Raises:
        ValueError: there is no such folder, or nothing in it is a progress file.
    """
    from .chapters import question
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder")
    found = Class()
    for path in sorted(folder.rglob("*.json")):
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue  # what programs keep in somebody's home
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            if not {"predictions", "attempts"} & set(stored):
                raise ValueError("something else's file")
            progress = checked(stored)
            for key, stored in progress["predictions"].items():
                _count(found, question(key), stored["choice"], stored["confidence"])
            for key, stored in progress["attempts"].items():
                outcome = "solved" if stored.get("right") else stored.get("belief", "tried")
                found.exercises[key][outcome] += bool(stored.get("tries"))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            found.skipped.append(path.name)
            continue
        found.files += 1
    if not found.files:
        raise ValueError(f"there is no progress.json under {folder}")
    return found


def _count(found: Class, asked: Question, letter: str, confidence: str) -> None:
    found.votes[asked.id][letter] += 1
    chosen = asked.option(letter)
    for option in asked.options:
        if not option.right:
            found.asked[option.belief] += 1
    if not chosen.right:
        found.beliefs[chosen.belief][confidence] += 1


def as_text(found: Class) -> str:
    """The heat-map in words and bars: beliefs first, most held first; then the votes of each question."""
    skipped = f"; not read: {', '.join(found.skipped)}" if found.skipped else ""
    lines = [f"{found.files} learners{skipped}", "",
             "Beliefs (of those who were asked; !! among them: certain)"]
    for belief, count, asked, certain in ranked(found):
        bar = "█" * max(1, round(WIDTH * count / asked))
        counts = f"{count:3} of {asked:<3} !! {certain:<3}"
        lines.append(f"{belief}  {bar:{WIDTH}} {counts} {MISCONCEPTIONS[belief]}")
    lines += ["", "Votes (* is right)"]
    lines += [f"{key:5} " + "   ".join(votes) for key, votes in ballots(found)]
    if found.exercises:
        lines += ["", "Exercises"]
        lines += [f"{key:5} " + ", ".join(f"{outcome} {count}" for outcome, count in sorted(counts.items()))
                  for key, counts in sorted(found.exercises.items())]
    return "\n".join(lines)


def as_html(found: Class) -> str:
    """The same as a page of its own: one cell per belief, its shade and its number say how many held it."""
    rows = []
    for belief, count, asked, certain in ranked(found):
        share = count / asked
        ink = "#fff" if share > 0.55 else "#1a1a1a"
        rows.append(f"<tr><th scope=row>{belief}</th><td>{escape(MISCONCEPTIONS[belief])}</td>"
                    f'<td style="background:rgba(0,114,178,{share:.2f});color:{ink}">{count} of {asked}</td>'
                    f"<td>{certain}</td></tr>")
    votes = "".join(f"<tr><th scope=row>{key}</th><td>{' &nbsp; '.join(map(escape, ballot))}</td></tr>"
                    for key, ballot in ballots(found))
    return ("<!doctype html><html lang=en><meta charset=utf-8><title>What the class believes</title>"
            "<style>body{font:16px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em}"
            "td,th{border:1px solid #767676;padding:.3em .6em;text-align:left}table{border-collapse:collapse}"
            f"</style><h1>What the class believes</h1><p>{found.files} learners.</p><h2>Beliefs</h2>"
            "<table><tr><th>id<th>belief<th>held by<th>certain of it</tr>"
            f"{''.join(rows)}</table><h2>Votes</h2><p>* is right</p><table>{votes}</table></html>\n")


def ranked(found: Class) -> list[tuple[str, int, int, int]]:
    """(belief, held, asked, certain), the most common first."""
    rows = [(belief, sum(sure.values()), found.asked[belief], sure[CONFIDENCE[-1]])
            for belief, sure in found.beliefs.items()]
    return sorted(rows, key=lambda row: (-row[1] / row[2], row[0]))


def ballots(found: Class) -> list[tuple[str, list[str]]]:
    from .chapters import question
    rows = []
    for key, votes in sorted(found.votes.items()):
        right = question(key).right
        rows.append((key, [f"{letter}{'*' if letter == right else ''} {votes[letter]}"
                           for letter in question(key).letters]))
    return rows
