"""Ask an installed PyTorch for what tests/test_nn.py and tests/test_optim.py expect: tests/data/nn.json.

    python -m tests.record_nn                  from the project's root, in an environment with torch==2.13.0
"""
from __future__ import annotations

import json
from pathlib import Path

DATA = Path(__file__).parent / "data" / "nn.json"


def main():
    import torch

    from tests.nn_programs import PROGRAMS, measured

    facts = {name: measured(torch, program) for name, program in PROGRAMS.items()}
    lines = [f"{json.dumps(name)}: {json.dumps(fact)}" for name, fact in facts.items()]
    DATA.write_text("{" + ",\n".join(lines) + "}\n")
    print(f"{len(facts)} programs, {DATA.stat().st_size} bytes")


if __name__ == "__main__":
    main()
