"""Runs scripts of this package one after the other, and prints what each prints last, as JSON.

    python -m minigrad.book.patients.run_texts < texts.json
"""
from __future__ import annotations

import contextlib
import io
import json
import sys
import warnings


def last_number(text: str) -> float | None:
    """Run a script of this package, and return the number in its last line; None if it fails or warns."""
    out = io.StringIO()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(out):
            warnings.simplefilter("error")
            exec(compile(text, "<patient>", "exec"), {"__name__": "__main__"})
        return float(out.getvalue().split()[-1])
    except Exception:
        return None


if __name__ == "__main__":
    json.dump({name: last_number(text) for name, text in json.load(sys.stdin).items()}, sys.stdout)
