"""Runs the cells of a submission, in a process that `mark` starts, and says after each what became of it.

    python -m minigrad.book.build.marking.run_submission < REQUEST

A request with `answers` in the place of `cells` is about answers that are data: they are marked here, where
no cell of the learner's runs.
"""
from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

from ...classroom import exercises, helping
from ...classroom.judging import count_right
from ...classroom.patients.sandbox import limit
from ...classroom.progress import progress
from ...classroom.time_limit import TooLong, time_limit
from ...content.chapters import exercise
from . import count, error, stream
from .answers_as_json import NoData, as_data

SHOWN = 100_000  # letters of what a cell prints


class Printed(io.StringIO):
    """What a cell prints, but for what is too much to keep."""

    def write(self, text: str) -> int:
        room = SHOWN - self.tell()
        if room > 0:
            super().write(text[:room] if len(text) <= room else text[:room] + "\n... (too much to show)\n")
        return len(text)


class Shell:
    """IPython, without a notebook around it: what a cell shows is collected."""

    def __init__(self, seconds: float) -> None:
        from IPython.core.interactiveshell import InteractiveShell
        self.seconds = seconds
        self.shell = InteractiveShell.instance()
        self.shell.history_manager.enabled = False
        self.shell.enable_gui = lambda gui=None: None  # for `%matplotlib inline`, which needs no window
        self.shell.ast_node_interactivity = "last_expr"
        self.errors: list[dict] = []
        self.shell._showtraceback = self.keep

    def keep(self, kind: type, value: BaseException, lines: list[str]) -> None:
        if kind is TooLong:
            self.errors.append(error("Stopped", f"This cell had not finished after {self.seconds} seconds."))
        else:
            traceback = [line[:SHOWN] for line in lines][-50:]
            self.errors.append({**error(kind.__name__, safe(value)), "traceback": traceback})

    def run(self, source: str) -> list[dict]:
        """The outputs of a cell, in the format of notebooks."""
        return self.outputs(lambda: self.shell.run_cell(source, store_history=False))

    def outputs(self, action: Callable[[], Any]) -> list[dict]:
        from IPython.utils.capture import capture_output
        self.errors, text = [], Printed()
        with (contextlib.redirect_stdout(text), contextlib.redirect_stderr(text),
              capture_output(stdout=False, stderr=False) as shown):
            try:
                with time_limit(self.seconds):
                    action()
            except BaseException as reason:  # such as TooLong, or an error of IPython itself
                self.keep(type(reason), reason, [safe(reason)])
        data = [{"output_type": "display_data", "data": kept, "metadata": {}}
                for one in shown.outputs if (kept := small(one.data))]
        return [*([stream(text.getvalue())] if text.getvalue() else []), *data, *self.errors]


def small(data: Any) -> dict[str, str]:
    """The forms of an output that are text, and not too much of it."""
    return {kind: value for kind, value in data.items() if isinstance(value, str) and len(value) < SHOWN}


def safe(value: Any) -> str:
    try:
        return str(value)[:SHOWN]
    except Exception:
        return ""


def ran(cells: list[str], checks: dict[str, list[str]], seconds: float) -> Iterator[dict]:
    """Run the cells, and yield what each showed; for a check, the answer or its points, too."""
    shell = Shell(seconds)
    sys.addaudithook(no_chapters)
    for at, source in enumerate(cells):
        if str(at) not in checks:
            yield {"at": at, "outputs": shell.run(source)}
            continue
        key, name = checks[str(at)]
        answer, says = shell.shell.user_ns.get(name), {"at": at, "seat": progress.read()["seat"]}
        outputs = shell.outputs(lambda: exercises.check(key, answer))  # noqa: B023
        shell.outputs(lambda: says.update(marked(key, answer)))  # noqa: B023
        says["outputs"] = outputs + [stream(line) for line in says.pop("lines", [])]
        yield says


def marked(key: str, answer: Any) -> dict:
    """The answer if it is data, or else its points."""
    try:
        return {"data": as_data(answer, tensors=exercise(key).judge is None)}
    except NoData:
        pass
    except Exception as reason:  # such as an answer that is too large, or a strange class
        return {"points": 0, "lines": [f"No points: {safe(reason)}.\n"]}
    seat = progress.read()["seat"]
    return {"points": count_right(exercise(key), answer, exercise(key).numbers(seat))}


def no_chapters(event: str, arguments: tuple) -> None:
    """Refuse to open a chapter of the book, which holds the solutions."""
    if event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
        path = os.path.realpath(os.fsdecode(arguments[0]))
        if path.startswith(str(helping.NOTEBOOKS) + os.sep):
            raise PermissionError("An assignment doesn't read the chapters of the book.")


def main() -> None:
    request = json.loads(sys.stdin.buffer.read())
    word, out = request.pop("word"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    limit()
    if "answers" in request:
        found = ({"at": at, "points": count(*answer)} for at, answer in enumerate(request["answers"]))
    else:
        found = ran(**request)
    for says in found:
        out.write(f"{word}{json.dumps(says, ensure_ascii=False)}\n".encode("utf-8", "replace"))
        out.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
