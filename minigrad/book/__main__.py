"""The book from the command line.

    python -m minigrad.book check [CHAPTER ...]          what the rules find in the texts, and what to change
    python -m minigrad.book run [CHAPTER ...]            make chapters from their texts, run and store them
    python -m minigrad.book text CHAPTER ...             write the text of a notebook edited in JupyterLab
    python -m minigrad.book write                        titles and tables, from the texts
    python -m minigrad.book report FOLDER [--html FILE]  what a class believes, from its progress files
    python -m minigrad.book build [CHAPTER ...]          what a teacher hands out, into the folder build
    python -m minigrad.book copy FOLDER [--fresh N]      a learner's own copies of the chapters
"""
from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

from .build import report
from .build.lessons import ROOMS
from .build.plan import KINDS, USUAL
from .classroom import files


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m minigrad.book", description="The book of minigrad.")
    commands = parser.add_subparsers(dest="command", required=True)
    ruled = commands.add_parser("check", help="what the rules find in the texts, and what to change")
    again = commands.add_parser("run", help="make chapters from their texts, run and store them")
    again.add_argument("--force", action="store_true", help="give up what was edited in a notebook")
    back = commands.add_parser("text", help="write the text of a notebook that was edited in JupyterLab")
    named = "a number, or the beginning of a file's name"
    back.add_argument("chapters", nargs="+", metavar="CHAPTER", help=named)
    for command in ruled, again:
        command.add_argument("chapters", nargs="*", metavar="CHAPTER", help=f"{named}; none: all")
    commands.add_parser("write", help="write titles and tables from the texts")
    heard = commands.add_parser("report", help="what a class believes, from its progress files")
    heard.add_argument("folder", type=Path)
    heard.add_argument("--html", type=Path, metavar="FILE", help="write it as a page, too")
    heard.add_argument("--chapter", type=int, action="append", default=[], metavar="N",
                       help="this chapter alone; may be given several times")
    made = commands.add_parser("build", help="what a lesson needs, in a folder for each chapter")
    made.add_argument("chapters", nargs="*", help="numbers of chapters; none: all")
    made.add_argument("--learners", metavar="N",
                      help="sheets for so many, in one file; usually one of each of A to D")
    made.add_argument("--room", metavar="ROOM", help=f"{' or '.join(ROOMS)}; usually both")
    made.add_argument("--sheets", default="", metavar="LETTERS", help="those to deal out; usually ABCD")
    made.add_argument("--only", default="", metavar="KINDS",
                      help=f"usually {','.join(USUAL)}; some of {','.join(KINDS)}")
    made.add_argument("--to", type=Path, default=Path("build"), metavar="FOLDER", help="usually: build")
    made.add_argument("--letter", action="store_true", help="US Letter in place of A4")
    made.add_argument("--large-print", action="store_true", help="18 pt, on as many pages as it takes")
    own = commands.add_parser("copy", help="a learner's own copies of the chapters; no file is overwritten")
    own.add_argument("folder", type=Path)
    own.add_argument("--fresh", metavar="N", help="chapter N once more, under a new name")
    chosen = parser.parse_args(words)
    try:
        found = COMMANDS[chosen.command](chosen)
        sys.stdout.flush()
        return found
    except BrokenPipeError:     # of `check | head`; Python would flush once more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ValueError, OSError) as reason:
        if isinstance(reason, OSError) and reason.strerror:
            reason = f"{reason.filename or 'a file'} can't be used: {reason.strerror}"
        print(f"minigrad.book: {reason}", file=sys.stderr)
        return 1


def _check(chosen: argparse.Namespace) -> int:
    from .build.checking import check
    from .build.run_chapters import texts
    found = [line for path in texts(chosen.chapters) for line in check(path)]
    for line in sorted(found, key=lambda line: line.advice):
        print(line)
    wrong = sum(not line.advice for line in found)
    print(f"{wrong} to change" if wrong else "nothing to change")
    return 1 if wrong else 0


def _run(chosen: argparse.Namespace) -> int:
    from nbclient.exceptions import CellExecutionError
    from nbconvert.filters import strip_ansi

    from .build import source, tables
    from .build.run_chapters import keeps_edits, run, texts
    paths = texts(chosen.chapters)
    for path in paths:
        keeps_edits(path, chosen.force)
    with tables.written() as pages:     # before the run, for a chapter prints its minutes
        for path in paths:
            start = time.perf_counter()
            notebook = source.notebook_of_text(path)
            made = source.made(path.read_text(encoding="utf-8"), f"notebooks/text/{path.name}")
            try:
                cells = run(notebook, made)
            except CellExecutionError as reason:
                raise ValueError(f"{notebook.name} and the tables stay as they were, for a cell failed.\n"
                                 f"{strip_ansi(str(reason))}") from reason
            print(f"{notebook.name}: {cells} cells in {time.perf_counter() - start:.1f} s")
    _say_written(pages)
    return 0


def _text(chosen: argparse.Namespace) -> int:
    from .build import source
    from .build.run_chapters import notebooks
    for path in notebooks(chosen.chapters):
        text = source.written(json.loads(path.read_text(encoding="utf-8")), path.name)
        with files.held(source.text_of_notebook(path)) as write:
            write(text)
        print(f"notebooks/text/{path.stem}.md; now python -m minigrad.book run {path.stem} --force")
    return 0


def _write(_: argparse.Namespace) -> int:
    from .build import tables
    _say_written(tables.write())
    return 0


def _say_written(paths: list[Path]) -> None:
    from .build.tables import ROOT
    for path in paths:
        print(f"written: {path.relative_to(ROOT).as_posix()}")


def _report(chosen: argparse.Namespace) -> int:
    found = report.gather(chosen.folder, chosen.chapter)
    print(report.as_text(found))
    if chosen.html:
        with files.held(chosen.html) as write:
            write(report.as_html(found))
    return 0


def _build(chosen: argparse.Namespace) -> int:
    from .build.plan import build
    build(chosen.chapters, chosen.only, chosen.to, letter=chosen.letter, large=chosen.large_print,
          learners=chosen.learners, room=chosen.room, sheets=chosen.sheets)
    return 0


def _copy(chosen: argparse.Namespace) -> int:
    from .build.own_copies import copy_chapters
    for path in copy_chapters(chosen.folder, chosen.fresh):
        print(path)
    return 0


COMMANDS = {"check": _check, "run": _run, "text": _text, "write": _write,
            "report": _report, "build": _build, "copy": _copy}


if __name__ == "__main__":
    sys.exit(main())
