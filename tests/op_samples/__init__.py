"""The table of operations: a row for each, by module (see sample.py)."""
from __future__ import annotations

import importlib
from pathlib import Path

from .sample import Sample

TOOLS = {"__init__", "sample", "measure"}


def all_samples() -> dict[str, Sample]:
    """Every row by "module:name"; rows of one name are numbered."""
    found = {}
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.stem in TOOLS:
            continue
        for sample in importlib.import_module(f"{__name__}.{path.stem}").SAMPLES:
            key = base = f"{path.stem}:{sample.name}"
            number = 2
            while key in found:
                key = f"{base}#{number}"
                number += 1
            found[key] = sample
    return found
