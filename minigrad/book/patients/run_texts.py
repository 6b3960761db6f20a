"""Runs scripts of this package one after the other, and prints what each prints last, as JSON.

    python -m minigrad.book.patients.run_texts < texts.json
"""
from __future__ import annotations

import contextlib
import io
import json
import sys


def last_number(text: str) -> float:
    """Run a script of this package, and return the number in its last line; NaN if it fails."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(text, "<patient>", "exec"), {"__name__": "__main__"})
        return float(out.getvalue().split()[-1])
    except Exception:
        return float("nan")


if __name__ == "__main__":
    json.dump({name: last_number(text) for name, text in json.load(sys.stdin).items()}, sys.stdout)
