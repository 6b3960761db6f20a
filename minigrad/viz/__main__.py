"""The command line: `python -m minigrad.viz check train.py`."""
from __future__ import annotations

import sys

from . import rooms  # noqa: F401  (the check asks every room)
from .watching.check import USAGE, main

if __name__ == "__main__":
    if sys.argv[1:2] != ["check"]:
        sys.exit(f"usage: {USAGE}")
    sys.exit(main(sys.argv[2:]))
