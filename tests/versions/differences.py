"""What a PyTorch that is newer than the reference is known to do differently.

The tests that ask an installed PyTorch run with any release. On one that is newer than `REFERENCE`, each test
and each program below must fail, and all others must pass. So a new difference fails by name, and so does one
that has gone.
"""
from __future__ import annotations

from typing import NamedTuple

from . import REFERENCE, number


class Difference(NamedTuple):
    since: str  # the first release that was seen to do it
    what: str


NEGATION = Difference("2.14.1", "negating or subtracting booleans raises NotImplementedError")

# programs of tests/conformance and of tests/recorded
PROGRAMS = {
    "dtype_02_python_scalars": NEGATION,
    "error_06_operand_types": NEGATION,
    "layers.hooks_in_order": Difference(
        "2.14.1", "a full backward hook gives no warning where no input of the module requires a gradient"),
    "rules.wrong_arguments": NEGATION,
}
# tests, by their id
TESTS = {
    "tests/book/test_clinic.py::test_the_program_raises_the_stated_message[function-mark-torch]":
        Difference("2.14.1", "the message of mark_non_differentiable ends with the class of what was given"),
}


def expected(table: dict[str, Difference], version: str | None = None) -> dict[str, str]:
    """Return {name: what differs} for a release of PyTorch, or for the installed one."""
    release = number(version or installed() or REFERENCE)
    return {name: told.what for name, told in table.items()
            if release > number(REFERENCE) and release >= number(told.since)}


def installed() -> str | None:
    """Return the version of the installed PyTorch; None: there is none. It is not imported."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("torch")
    except PackageNotFoundError:
        return None
