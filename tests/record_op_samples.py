"""Ask an installed PyTorch for what tests/test_operations.py expects, and write it to
tests/data/op_samples.json.gz.

    python -m tests.record_op_samples          from the project's root, in an environment with torch==2.13.0
"""
from __future__ import annotations

import gzip
import json
from pathlib import Path

DATA = Path(__file__).parent / "data" / "op_samples.json.gz"


def main():
    import torch

    from tests.op_samples import all_samples
    from tests.op_samples.measure import measure

    facts = {key: measure(torch, sample) for key, sample in all_samples().items()}
    text = json.dumps(facts, indent=0, sort_keys=True)
    with gzip.GzipFile(DATA, "wb", mtime=0) as file:        # no time stamp: the same facts are the same bytes
        file.write(text.encode())
    print(f"{len(facts)} rows, {DATA.stat().st_size} bytes")


if __name__ == "__main__":
    main()
