"""Ask an installed PyTorch for what tests/engine/test_operations.py expects."""
from __future__ import annotations

from tests.helpers import answers

from .measure import measure
from .rows import all_rows


def main():
    import torch

    facts = {row: measure(torch, row) for row in all_rows()}
    print(f"{len(facts)} rows, {answers.save('op_samples', facts)} bytes")


if __name__ == "__main__":
    main()
