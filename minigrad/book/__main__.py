"""The book from the command line.

    python -m minigrad.book run [CHAPTER ...]            run chapters again and store what they print
    python -m minigrad.book report FOLDER [--html FILE]  what a class believes, from its progress files
"""
from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from . import report
from .run import notebooks, run


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m minigrad.book", description="The book of minigrad.")
    commands = parser.add_subparsers(dest="command", required=True)
    again = commands.add_parser("run", help="run chapters again and store what they print")
    again.add_argument("chapters", nargs="*", help="numbers of chapters, or names of files; none: all")
    heard = commands.add_parser("report", help="what a class believes, from its progress files")
    heard.add_argument("folder", type=Path)
    heard.add_argument("--html", type=Path, metavar="FILE", help="write it as a page, too")
    chosen = parser.parse_args(words)
    try:
        return {"run": _run, "report": _report}[chosen.command](chosen)
    except (ValueError, OSError) as reason:
        print(f"minigrad.book: {reason}", file=sys.stderr)
        return 1


def _run(chosen: argparse.Namespace) -> int:
    for path in notebooks(chosen.chapters):
        start = time.perf_counter()
        cells = run(path)
        print(f"{path.name}: {cells} cells in {time.perf_counter() - start:.1f} s")
    return 0


def _report(chosen: argparse.Namespace) -> int:
    found = report.gather(chosen.folder)
    print(report.as_text(found))
    if chosen.html:
        chosen.html.write_text(report.as_html(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
