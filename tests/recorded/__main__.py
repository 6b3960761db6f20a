"""Ask an installed PyTorch for what tests/test_recorded.py expects."""
from __future__ import annotations

import gzip
import json
from pathlib import Path

from . import measured, programs

DATA = Path(__file__).parents[1] / "data" / "recorded.json.gz"


def main():
    import torch

    answers = {name: measured(torch, program) for name, program in programs().items()}
    text = json.dumps(answers, separators=(",", ":"))
    DATA.write_bytes(gzip.compress(text.encode(), 9,
                                   mtime=0))       # the same answers are the same bytes
    print(f"{len(answers)} programs, {DATA.stat().st_size} bytes")


if __name__ == "__main__":
    main()
