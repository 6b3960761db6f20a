"""The price of every fix is checked by running it, on minigrad and, where PyTorch is installed, on PyTorch.

Prices in words have rows in tests/helpers/prices_of_*.py. A fix whose price is "none" saves no more bytes
than the program that fails, or is in `UNMEASURED` with the reason why the two can't be compared.
"""
from __future__ import annotations

import functools
import importlib
import warnings
from importlib.util import find_spec

import pytest

from minigrad.book.build.reader import clinic
from minigrad.book.build.reader.program import run
from minigrad.book.content.cases import CASES
from tests.helpers import prices_of_copies, prices_of_gradients, prices_of_memory  # noqa: F401  (they enter rows)
from tests.helpers.explained_programs import PROGRAMS
from tests.helpers.prices import ROWS, normalised, packed
from tests.helpers.prices_none import FREE, UNMEASURED
from tests.viz.test_explain import explained

# CI runs a file that asks for PyTorch a second time, beside it.
BACKENDS = ["minigrad"] + ["torch"] * (find_spec("torch") is not None)
HEADS = {"minigrad": "import minigrad as torch\n", "torch": "import torch\n"}


@functools.cache
def all_fixes():
    """Return every fix that a broken program or a case of the clinic shows: (the name of either, the fix)."""
    shown = [(name, fix) for backend in BACKENDS for name in PROGRAMS
             for fix in explained(backend, name).fixes]
    return shown + [(case.slug, fix) for case in CASES for fix in clinic.explained(case).fixes]


def saved(torch, work):
    """Return the bytes that `work()` saves for backward passes until it ends or fails."""
    def tried():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                work()
            except Exception:
                return
    return sum(packed(torch, tried))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("price", ROWS)
def test_a_price_is_so(price, backend):
    ROWS[price](importlib.import_module(backend))


def test_every_price_has_a_row_and_every_row_a_price():
    shown = {normalised(fix.price) for _, fix in all_fixes()} - set(FREE)
    assert shown - set(ROWS) == set()
    assert set(ROWS) - shown == set()


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_case_whose_fix_costs_nothing_saves_no_more(backend):
    torch = importlib.import_module(backend)
    cases = [case for case in CASES if any(fix.price in FREE for fix in clinic.explained(case).fixes)]
    assert cases
    for case in cases:
        broken, mended = (saved(torch, lambda code=code: run(code, HEADS[backend]))
                          for code in (case.code, case.fixed))
        assert mended <= broken or case.slug in UNMEASURED, (case.slug, broken, mended)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_program_whose_fix_costs_nothing_saves_no_more(backend):
    torch = importlib.import_module(backend)
    free = [(name, fix.words) for name in PROGRAMS for fix in explained("minigrad", name).fixes
            if fix.price in FREE]
    assert free
    for name, words in free:
        program = PROGRAMS[name]
        mended = next(mended for part, mended in program.mended.items() if part in words)
        before, after = (saved(torch, functools.partial(work, torch)) for work in (program.run, mended))
        assert after <= before or name in UNMEASURED, (name, before, after)


def test_every_reason_belongs_to_a_price_of_nothing():
    assert set(UNMEASURED) <= {name for name, fix in all_fixes() if fix.price in FREE}
