"""Short programs whose answers were recorded from PyTorch: layers, optimizers, gradients, hooks,
data, random numbers, printing, and rules of many other kinds.

A program is a public function that takes the package and returns what is to be compared.

    python -m tests.recorded        record tests/data/recorded.json.gz again (needs torch==2.13.0)
"""
from __future__ import annotations

import importlib
import warnings

AREAS = ("layers", "optimizers", "gradients", "hooks", "utilities", "random_numbers", "texts",
         "rules", "edges", "names", "modes", "edited_data")


def programs():
    """Return {"area.name": program}."""
    found = {}
    for area in AREAS:
        module = importlib.import_module(f"{__name__}.{area}")
        found |= {f"{area}.{name}": value for name, value in vars(module).items()
                  if getattr(value, "__module__", "") == module.__name__
                  and not name.startswith("_")
                  and isinstance(value, type(programs))}
    return found


def measured(torch, program):
    """Return what a program returns, as JSON data, and the warnings it gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.manual_seed(0)
        result = plain(program(torch))
    return {"result": result, "warnings": [f"{w.category.__name__}: {w.message}" for w in caught]}


def plain(value):
    """Return tensors as lists, and everything else as JSON can hold it."""
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, float) and value - value != 0:        # JSON has neither nan nor infinity
        return repr(value)
    return value if isinstance(value, (int, float, str, type(None))) else str(value)


def error_of(call):
    """Return the error that a call raises, or the text of what it returns."""
    try:
        return str(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"
