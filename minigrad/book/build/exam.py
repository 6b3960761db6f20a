"""An exam of patients: a sheet and a script for each seat, and one key for the teacher.

Every seat gets another patient. A sheet shows the numbered script, says its symptom, and has places for the
lines, the reasons and the number; the script is a file to run. The key has the answers of all seats.
"""
from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from ..patients import Patient, patient
from ..patients.candidate import LEVELS
from ..reading import Misread
from .pdf import Form, Made, as_pdf, save, save_page
from .plan import PAPER, placed, unfinished
from .writing import Page

MOST = 200      # seats
HOW = ("The script runs without an error, and its number is worse than it should be. Find {what}, repair "
       "{them}, and change nothing else: the seed, the data and the rates stay as they are. Some lines look "
       "wrong and are not, so measure. Your file is {file}.")


def exam(to: Path, seats: int, level: int, first: int, form: Form) -> list[Path]:
    """Write the exam into a folder, and return its files.

    Raises:
        ValueError: a number of seats, a level or a seed that can't be, or a tool that isn't there.
        OSError: the folder can't be written.
    """
    if not 1 <= seats <= MOST:
        raise ValueError(f"an exam has 1 to {MOST} seats; this is {seats}")
    if level not in LEVELS:
        raise ValueError(f"there are the levels {', '.join(map(str, LEVELS))}; this is {level}")
    if first < 0:
        raise ValueError(f"seeds begin with 0; this is {first}")
    need_paper()
    try:
        patients = [patient(first + seat, level) for seat in range(seats)]
    except Misread as reason:
        raise ValueError(str(reason).replace("`", "")) from None
    with unfinished(to.resolve()) as scratch:
        names = [one.path.relative_to(scratch).as_posix() for one in files_of(patients, scratch, form)]
        placed(scratch, to.resolve(), names)
        return [to.resolve() / name for name in names]


def need_paper() -> None:
    """
    Raises:
        ValueError: pandoc or typst isn't installed; the message says how to get them.
    """
    for tool in PAPER:
        if find_spec(tool) is None:
            raise ValueError(f"an exam on paper needs {tool}: pip install -r requirements-handouts.txt")


def files_of(patients: list[Patient], folder: Path, form: Form) -> Iterator[Made]:
    """Write the sheets, the scripts and the key."""
    folder.mkdir(parents=True, exist_ok=True)
    wide = len(str(len(patients)))
    names = [f"seat-{seat:0{wide}}" for seat in range(1, len(patients) + 1)]
    pages = [sheet(one, name, form) for one, name in zip(patients, names, strict=True)]
    titles = [f"Patients · {name.replace('-', ' ').capitalize()}" for name in names]
    for one, name, pdf in zip(patients, names, as_pdf(pages, titles, form), strict=True):
        yield save(folder / f"{name}{form.suffix}.pdf", pdf)
        (folder / f"{name}.py").write_text(one.source, encoding="utf-8")
        yield Made(folder / f"{name}.py")
    yield save_page(folder / f"key{form.suffix}.pdf", key(patients, form), "Key to the patients", form)


def sheet(one: Patient, name: str, form: Form) -> Page:
    """Return the sheet of a seat. It doesn't tell the seed."""
    page = form.page(name, 3)
    page.heading("Find what is wrong", name.replace("-", " ").capitalize())
    page.typst("#name-line()")
    many = len(one.bugs)
    page.add(f"**{one.symptom}** " + HOW.format(
        what="the broken line" if many == 1 else "both broken lines", them="it" if many == 1 else "them",
        file=f"`{name}.py`"))
    for block in blocks(one.source.splitlines()):
        page.code(block)
    for at in range(many):
        page.keep()
        which = "The broken line" if many == 1 else ("The first broken line", "The second broken line")[at]
        page.add(f"**{which}**, the measurement that shows it, what is wrong with it, and the line as it "
                 "should be:")
        page.rules(4)
        page.end()
    page.keep()
    half = "" if many == 1 else ", and what it prints with one bug repaired"
    page.add(f"**What the repaired script prints**{half}:")
    page.rules(1)
    page.end()
    return page


def blocks(lines: list[str]) -> list[str]:
    """Return the numbered lines, cut at blank lines, so that a page may end between two of the pieces."""
    pieces: list[list[str]] = [[]]
    for number, line in enumerate(lines, 1):
        if not line.strip():
            pieces.append([])
        else:
            pieces[-1].append(f"{number:2}  {line}")
    return ["\n".join(piece) for piece in pieces if piece]


def key(patients: list[Patient], form: Form) -> Page:
    """Return the key: a table to mark by, and then what is wrong with each script."""
    page = form.page("key")
    page.add("# Key to the patients")
    page.add("A broken line is worth one point, and so is the number; a number may differ by one percent, "
             "since there are several ways to repair a line. Any of the lines that are named here counts.")
    rows = [["seat", "patient", "lines", "number", "before", "with one repaired"]]
    for seat, one in enumerate(patients, 1):
        half = [f"{one.numbers[bug.name]} (line {one.lines(bug)[0]})"
                for bug in one.bugs if len(one.bugs) > 1]
        rows.append([str(seat), f"`{one.name}`", "; ".join(spelled(one.lines(bug)) for bug in one.bugs),
                     str(one.numbers["healthy"]), str(one.numbers["ill"]), ", ".join(half) or "–"])
    page.table(rows)
    for seat, one in enumerate(patients, 1):
        page.keep()
        page.add(f"## Seat {seat} · `{one.name}`")
        page.add("\n".join(f"- Line {spelled(one.lines(bug))}: {bug.says} {bug.fix} *Kind: {bug.kind}. "
                           f"Price: {bug.price}.*" for bug in one.bugs))
        page.add("\n".join(f"- Line {spelled(look.lines(one.script))} is innocent: {look.says}"
                           for look in one.looks))
        page.end()
    return page


def spelled(lines: list[int]) -> str:
    """Return numbers of lines as words: "12", or "12 or 30"."""
    return " or ".join(map(str, lines))
