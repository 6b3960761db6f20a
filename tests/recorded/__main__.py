"""Ask an installed PyTorch for what tests/engine/test_recorded.py expects."""
from __future__ import annotations

from tests.helpers import answers

from . import measured, programs


def main():
    import torch

    results = {name: measured(torch, program) for name, program in programs().items()}
    print(f"{len(results)} programs, {answers.save('recorded', results)} bytes")


if __name__ == "__main__":
    main()
