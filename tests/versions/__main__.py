"""Ask the installed PyTorch, and add its answers to recorded.json.

    python -m tests.versions [changes] [clinic] [explained] [cells] [seeds]

Answers to programs that no longer exist are removed. A program that is new has an answer only from the
releases that were asked since; ask the others, too.
"""
from __future__ import annotations

import json
import sys

from . import RECORDED, load, number
from .asking import asked


def with_answers(data: dict, version: str, answers: dict) -> dict:
    """Return the data with the answers of one release in place of its earlier ones."""
    known = sorted({*data.get("versions", ()), version}, key=number)
    merged: dict = {**data, "versions": known}
    for kind, programs in answers.items():
        merged[kind] = {}
        for name, text in programs.items():
            given = {one: said for said, ones in data.get(kind, {}).get(name, ()) for one in ones}
            given[version] = text
            groups: dict[str, list[str]] = {}
            for one in sorted(given, key=number):
                groups.setdefault(given[one], []).append(one)
            merged[kind][name] = [[said, ones] for said, ones in groups.items()]
    return merged


def main():
    import matplotlib  # noqa: F401  (without these two, cells would answer that they are missing)
    import torch
    import tqdm  # noqa: F401

    version = torch.__version__.partition("+")[0]
    answers = asked(sys.argv[1:])
    data = with_answers(load() if RECORDED.exists() else {}, version, answers)
    RECORDED.write_text(json.dumps(data, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    print(f"{version}: {len(data['versions'])} releases, {RECORDED.stat().st_size} bytes")


if __name__ == "__main__":
    main()
