"""The book from the command line.

    python -m minigrad.book run [CHAPTER ...]            run chapters again and store what they print
    python -m minigrad.book report FOLDER [--html FILE]  what a class believes, from its progress files
    python -m minigrad.book build [CHAPTER ...]          what a teacher hands out, into the folder build
    python -m minigrad.book copy FOLDER [--fresh N]      a learner's own copies of the chapters
"""
from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from . import files, report
from .build.plan import KINDS
from .run import notebooks, run


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m minigrad.book", description="The book of minigrad.")
    commands = parser.add_subparsers(dest="command", required=True)
    again = commands.add_parser("run", help="run chapters again and store what they print")
    again.add_argument("chapters", nargs="*", help="numbers of chapters, or names of files; none: all")
    heard = commands.add_parser("report", help="what a class believes, from its progress files")
    heard.add_argument("folder", type=Path)
    heard.add_argument("--html", type=Path, metavar="FILE", help="write it as a page, too")
    heard.add_argument("--chapter", type=int, action="append", default=[], metavar="N",
                       help="this chapter alone; may be given several times")
    made = commands.add_parser("build", help="student files, handouts, node cards and the reader")
    made.add_argument("chapters", nargs="*", help="numbers of chapters; none: all")
    made.add_argument("--only", default="", metavar="KINDS",
                      help="some of " + ",".join(KINDS))
    made.add_argument("--to", type=Path, default=Path("build"), metavar="FOLDER", help="usually: build")
    made.add_argument("--letter", action="store_true", help="US Letter in place of A4")
    made.add_argument("--large-print", action="store_true", help="18 pt, on as many pages as it takes")
    made.add_argument("--no-solutions", action="store_true", help="a reader that can be handed out")
    own = commands.add_parser("copy", help="a learner's own copies of the chapters; no file is overwritten")
    own.add_argument("folder", type=Path)
    own.add_argument("--fresh", metavar="N", help="chapter N once more, under a new name")
    chosen = parser.parse_args(words)
    try:
        return {"run": _run, "report": _report, "build": _build, "copy": _copy}[chosen.command](chosen)
    except (ValueError, OSError) as reason:
        if isinstance(reason, OSError) and reason.strerror:
            reason = f"{reason.filename or 'a file'} can't be used: {reason.strerror}"
        print(f"minigrad.book: {reason}", file=sys.stderr)
        return 1


def _run(chosen: argparse.Namespace) -> int:
    for path in notebooks(chosen.chapters):
        start = time.perf_counter()
        cells = run(path)
        print(f"{path.name}: {cells} cells in {time.perf_counter() - start:.1f} s")
    return 0


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
          solutions=not chosen.no_solutions)
    return 0


def _copy(chosen: argparse.Namespace) -> int:
    from .build.own_copies import copy_chapters
    for path in copy_chapters(chosen.folder, chosen.fresh):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
