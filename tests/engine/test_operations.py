"""Every operation as PyTorch answered: values, gradients, second gradients, nodes, saved tensors,
edits, errors.

The answers are kept in tests/data/op_samples.json.gz; `python -m tests.op_samples` asks PyTorch
for them again.
"""
from __future__ import annotations

import math
import re

import pytest

import minigrad
from tests.helpers import answers, vocabulary
from tests.op_samples.measure import measure
from tests.op_samples.rows import all_rows

ROWS = all_rows()
RECORDED = answers.load("op_samples")
# What PyTorch's argument parser says to a call with wrong arguments is not compared, only that it
# is an error.
PARSER = re.compile(r"TypeError: .*(argument|signature|must be)", re.DOTALL)


@pytest.mark.parametrize("row", ROWS)
def test_as_pytorch(row):
    got, wanted = measure(minigrad, row), RECORDED[row]
    if PARSER.match(wanted.get("error", "")):
        assert "error" in got
    else:
        assert_same(got, wanted, row, 1e-6 if "float32" in row else 1e-9)


def test_every_row_is_recorded():
    assert set(RECORDED) == set(ROWS)


def test_every_name_of_the_vocabulary_exists():
    assert vocabulary.missing(minigrad) == []


def test_every_operation_of_the_vocabulary_has_a_row():
    assert vocabulary.operations_without_a_row(ROWS) == []


def test_a_wrong_answer_is_seen():
    wanted = RECORDED["x * m"]
    for fact, change in (("results", {"values": [1.0]}), ("gradients", {"dtype": "torch.float32"}),
                         ("results", {"requires_grad": False}), ("results", {"shape": [6]})):
        with pytest.raises(AssertionError):
            assert_same({**wanted, fact: [{**wanted[fact][0], **change}, *wanted[fact][1:]]},
                        wanted, "x * m")
    with pytest.raises(AssertionError):
        assert_same({**wanted, "edit_input": "fine"}, wanted, "x * m")


def assert_same(got, wanted, where, close=1e-9):
    """Compare nested plain data; numbers to the digits that do not depend on the order of
    additions."""
    if isinstance(wanted, dict):
        assert isinstance(got, dict), (where, got, wanted)
        assert set(got) == set(wanted), (where, got, wanted)
        close = 1e-5 if wanted.get("dtype") == "torch.float32" else close
        for name in wanted:
            if name != "second" or "unallocated storage" not in wanted[name]:   # PyTorch cannot read it
                assert_same(got[name], wanted[name], f"{where}: {name}", close)
    elif isinstance(wanted, list):
        assert isinstance(got, list), (where, got, wanted)
        assert len(got) == len(wanted), (where, got, wanted)
        for left, right in zip(got, wanted):
            assert_same(left, right, where, close)
    elif isinstance(wanted, float) and isinstance(got, float):
        assert math.isclose(got, wanted, rel_tol=close, abs_tol=close / 100), (where, got, wanted)
    else:
        assert got == wanted, (where, got, wanted)
