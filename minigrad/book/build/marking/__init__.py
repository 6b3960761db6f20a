"""Marks what a learner handed in, for nbgrader: no cell of theirs runs where the points are counted.

    __init__.py          what nbgrader calls; gives points to answers that are data, such as numbers and words
    run_submission.py    a process of its own: runs the cells of a submission, and says what their answers are
    answers_as_json.py   an answer as JSON

An answer that is data goes through JSON to a process that has run none of the learner's cells. An answer that
contains code, such as a function, has to be tried where it runs: there, a cell that replaces the functions of
the check can forge its points. docs/nbgrader.md says what a learner can do, and what not.
"""
from __future__ import annotations

import json
import os
import queue
import re
import secrets
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...classroom.exercise import PRINTED
from ...classroom.judging import count_right
from ...classroom.patients.running import stop
from ...content.chapters import exercise
from .answers_as_json import from_data

CHECKED = re.compile(r'check\("(\w+)", (\w+)\)')
SECONDS = 20  # of the processor, for a cell; the slowest of the book takes about five
PATIENT = 8  # times as long may a cell take by the clock; the process itself stops most cells before that
START = 20  # seconds more, to begin
RESTARTS = 3  # how many cells that end the process, or never end, are left out before we give up
ENDED = "This cell ended the program, or never ended. The other cells were run without it."


@dataclass
class Marked:
    """What became of a cell: its outputs in the format of notebooks, and its points if it is a check."""

    outputs: list[dict] = field(default_factory=list)
    points: float | None = None


def mark(sources: list[str], checks: dict[int, tuple[str, str]], folder: Path, seconds: float = SECONDS
         ) -> list[Marked]:
    """Run code cells in `folder`, and give points to the checks among them.

    `checks` holds for the position of a check the key of its exercise and the name of the answer. A cell may
    run for so many `seconds`.
    """
    left_out: set[int] = set()
    while True:
        marked = [Marked() for _ in sources]
        cells = ["" if at in left_out else source for at, source in enumerate(sources)]
        told = list(talk({"cells": cells, "checks": {str(at): check for at, check in checks.items()},
                          "seconds": seconds}, folder, seconds))
        for says in told:
            marked[says["at"]] = Marked(says["outputs"], says.get("points"))
        if len(told) == len(sources) or len(left_out) == RESTARTS:
            break
        left_out.add(len(told))
    for at in left_out:
        marked[at].outputs = [error("Stopped", ENDED)]
    answers = {says["at"]: says for says in told if "data" in says}
    apart = [at for at, says in answers.items() if exercise(checks[at][0]).judge is not None]
    counted = talk({"answers": [[checks[at][0], answers[at]["data"], answers[at]["seat"]] for at in apart]},
                   folder, seconds) if apart else ()
    points = {apart[says["at"]]: says["points"] for says in counted}
    for at, (key, _) in checks.items():
        if at in answers and at not in apart:
            points[at] = count(key, answers[at]["data"], answers[at]["seat"])
        if at in points:
            marked[at].points = points[at]
        if at in answers:
            marked[at].outputs += [stream(line) for line in
                                   about_numbers(key, answers[at], points.get(at, 0))]
        marked[at].points = marked[at].points or 0
    return marked


def count(key: str, data: Any, seat: str | None) -> int:
    """How many parts of an answer are right, with the numbers of a seat."""
    return count_right(exercise(key), from_data(data), exercise(key).numbers(seat))


def about_numbers(key: str, says: dict, points: float) -> Iterator[str]:
    """Say with whose numbers an answer was marked, and on which printed sheet all of it would be right."""
    one = exercise(key)
    if one.draw is None:
        return
    whose = "of nobody, as no seat was taken" if says["seat"] is None else f"of seat {says['seat']}"
    yield f"Marked with the numbers {whose}.\n"
    if one.judge is None and points < one.parts:
        for seat in PRINTED:
            if seat != says["seat"] and count(key, says["data"], seat) == one.parts:
                yield f"With the numbers of sheet {seat}, all of it would be right.\n"


def talk(request: dict, folder: Path, seconds: float) -> Iterator[dict]:
    """What a process of its own says to a request, until all is said, it ends, or it is silent for too long.

    Only lines that begin with a word known to that process and to us are its own. Other processes that a
    cell has started end with it.
    """
    left = len(request.get("cells", request.get("answers")))
    word = secrets.token_hex(16)
    environment = {**os.environ, "MINIGRAD_BOOK": "text", "NBGRADER_EXECUTION": "autograde"}
    package = str(Path(__file__).resolve().parents[4])
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (package, environment.get("PYTHONPATH"))))
    command = sys.executable, "-m", "minigrad.book.build.marking.run_submission"
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    lines: queue.Queue[bytes] = queue.Queue()

    def listen() -> None:
        with process.stdout:
            for line in process.stdout:
                lines.put(line)
        lines.put(b"")

    threading.Thread(target=listen, daemon=True).start()
    try:
        process.stdin.write(json.dumps({**request, "word": word}).encode())
        process.stdin.close()
        while left and (line := lines.get(timeout=PATIENT * seconds + START)):
            if line.startswith(word.encode()):
                left -= 1
                yield json.loads(line[len(word):])
    except (queue.Empty, OSError):
        pass
    finally:
        stop(process)


def stream(text: str) -> dict:
    return {"output_type": "stream", "name": "stdout", "text": text}


def error(name: str, says: str) -> dict:
    return {"output_type": "error", "ename": name, "evalue": says, "traceback": [f"{name}: {says}"]}


def preprocessors() -> list[type]:
    """What nbgrader does to each submission, with this module in the place of its own execution of cells."""
    from nbformat.v4 import new_output
    from nbgrader.converters.autograde import Autograde
    from nbgrader.preprocessors import Execute, NbGraderPreprocessor
    from traitlets import Integer

    class Mark(NbGraderPreprocessor):
        seconds = Integer(SECONDS, help="How long a cell may run.").tag(config=True)

        def preprocess(self, notebook: Any, resources: Any) -> tuple[Any, Any]:
            cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
            checks = {at: found.groups() for at, cell in enumerate(cells)
                      if cell.metadata.get("nbgrader", {}).get("grade")
                      and (found := CHECKED.search(cell.source))}
            found = mark([cell.source for cell in cells], checks,
                         Path(resources.get("metadata", {}).get("path") or "."), self.seconds)
            for at, (cell, one) in enumerate(zip(cells, found, strict=True)):
                cell.execution_count = at + 1
                cell.outputs = [new_output(**output) for output in one.outputs]
                if one.points is not None:
                    cell.outputs.append(new_output("execute_result", execution_count=at + 1, data={
                        "text/plain": f"{one.points:g}"}))
            return notebook, resources

    usual = Autograde.class_traits()["autograde_preprocessors"].default()
    return [Mark if one is Execute else one for one in usual]
