"""Records the digits of PyTorch for test_digits.py.

    python -m tests.record_digits        # needs torch==2.13.0
"""
import json

import torch

from tests.digits_programs import FUNCTIONS, PROGRAMS, PROGRAMS_OF_PRODUCTS, values
from tests.test_digits import DATA

if __name__ == "__main__":
    recorded = {name: program(torch) for name, program in (PROGRAMS | PROGRAMS_OF_PRODUCTS).items()}
    recorded["functions"] = {name: values(torch, name) for name in FUNCTIONS}
    DATA.write_text(json.dumps(recorded, separators=(",", ":")) + "\n")
