"""Writes what is said of releases of PyTorch, in docs/versions.md, in README.md and in the clinic."""
from __future__ import annotations

import json
import re

from minigrad.book.content.cases import CASES
from minigrad.book.content.cases.wordings import FILE
from tests import ROOT

from . import REFERENCE, load, number, versions
from .changes import CHANGES

PAGE, README = ROOT / "docs" / "versions.md", ROOT / "README.md"
NEWEST = re.compile(r"(?<=The newest release that every chapter was run with is )[\d.]*\d")
HEAD = """# What other releases of PyTorch do

The chapters print what PyTorch {reference} prints. If you have another release, this page says what it does
differently. Only releases that were run are named: {releases},
on the CPU, with Python 3.11. "2.0.1 to 2.6.0" stands for the releases of this list from 2.0.1 to 2.6.0. If a
program prints something else from 2.3.1 on, the change came in 2.3.1 or in a release between 2.0.1 and 2.3.1.

`import torch; print(torch.__version__)` prints which release you have. If you have only a message, the
[last table](#what-a-message-says-about-your-release) tells releases apart by their messages.

This page is generated: `python -m tests.write` writes it from `tests/versions/recorded.json`, and
`python -m tests.versions` records a release there.
"""
CELLS = """## Cells of the chapters

The study notes behind this book have 47 examples. {every} cells of the chapters and of the
gallery rebuild them. {all} of these were run in all {count} releases, and {same} of those print the same in
each; the other {different} are below. {rest}A cell is named by its
examples, its chapter, and its place among the chapter's cells of code.

| cell | prints the same as {reference} | prints something else, or raises |
|---|---|---|
"""
MESSAGES = """## What a message says about your release

Each row is an error of the clinic whose program raises another message in some of the releases. Of a message
with several lines, the lines that differ are shown.

| error | the message says | then your PyTorch is |
|---|---|---|
"""


def spoken(given: list[str], every: list[str]) -> str:
    """Return "2.0.1 to 2.6.0" for three or more neighbours in the list of all releases, or else each of them.

        spoken(["1", "3", "4", "5"], ["1", "2", "3", "4", "5"])     # "1 and 3 to 5"
    """
    runs: list[list[str]] = []
    for one in given:
        if runs and every.index(one) == every.index(runs[-1][-1]) + 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    parts = [part for run in runs for part in (run if len(run) < 3 else [f"{run[0]} to {run[-1]}"])]
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


# --- changes

def changes(data: dict) -> str:
    every, parts = versions(data), ["## What has changed\n"]
    for one in CHANGES:
        parts.append(f"### {one.title}\n\n" + (f"{one.says}\n\n" if one.says else "")
                     + fenced("python", one.code.rstrip()))
        parts += [f"In {spoken(given, every)}:\n\n{fenced('text', shown(said))}"
                  for said, given in data["changes"][one.slug]]
    return "\n".join(parts)


def fenced(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```\n"


def shown(said: str, most: int = 600) -> str:
    """Return what a program printed; of a long text, the beginning up to a paragraph."""
    return said if len(said) <= most else said[:said.rfind("\n\n", 0, most)].rstrip() + "\n..."


# --- cells

def cells(data: dict) -> str:
    every = versions(data)
    everywhere = {name: answers for name, answers in data["cells"].items()
                  if {one for _, given in answers for one in given} == set(every)}
    newer = sorted({one for name in data["cells"].keys() - everywhere.keys()
                    for _, given in data["cells"][name] for one in given}, key=number)
    rows = []
    for name, answers in everywhere.items():
        same = next(given for _, given in answers if REFERENCE in given)
        rest = [one for one in every if one not in same]
        if rest:
            rows.append(f"| {name} | {spoken(same, every)} | {spoken(rest, every)} |")
    later = f"The rest were written later, and were run in {' and '.join(newer)} alone. " if newer else ""
    head = CELLS.format(every=len(data["cells"]), all=len(everywhere), same=len(everywhere) - len(rows),
                        different=len(rows), count=len(every), rest=later, reference=REFERENCE)
    return head + "\n".join(rows) + "\n"


# --- messages

def differing(messages: list[str]) -> list[str]:
    """Return, of each message, its lines that not all of them have; of one with one line, that line."""
    lines = [message.splitlines() for message in messages]
    common = set.intersection(*map(set, lines))
    return ["\n".join([line for line in own if line not in common]) or own[0] for own in lines]


def wordings(data: dict) -> dict:
    """Return {error: [(what differs in its message, the releases)]} where not all releases say the same."""
    every, found = versions(data), {}
    for case in CASES:
        raised = [(said, given) for said, given in data["clinic"].get(case.slug, ()) if said]
        if len(raised) > 1:
            texts = differing([said for said, _ in raised])
            found[case.slug] = [[text, spoken(given, every)] for text, (_, given) in zip(texts, raised)]
    return found


def messages(data: dict) -> str:
    titles = {case.slug: case.title for case in CASES}
    rows = [f"| {titles[slug]} | {in_a_cell(text)} | {releases} |"
            for slug, told in wordings(data).items() for text, releases in told]
    return MESSAGES + "\n".join(rows) + "\n"


def in_a_cell(text: str) -> str:
    return "<br>".join(f"`` {line} ``".replace("|", "\\|") for line in text.splitlines())


# --- what is written

def page(data: dict) -> str:
    head = HEAD.format(reference=REFERENCE, releases=listed(versions(data)))
    return "\n".join([head, changes(data), cells(data), messages(data)])


def listed(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"


def texts() -> dict:
    """Return {file: its text} of everything that is generated from the recorded answers."""
    data = load()
    readme = README.read_text(encoding="utf-8")
    table = {"releases": versions(data), "errors": wordings(data)}
    return {PAGE: page(data), README: NEWEST.sub(versions(data)[-1], readme),
            FILE: json.dumps(table, ensure_ascii=False, indent=0) + "\n"}


def write() -> list:
    """Bring these files up to date; return those that were old."""
    old = {path: text for path, text in texts().items()
           if not path.exists() or path.read_text(encoding="utf-8") != text}
    for path, text in old.items():
        path.write_text(text, encoding="utf-8", newline="\n")
    return list(old)
