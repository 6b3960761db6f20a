"""Layers, optimizers, data, random numbers and printed tensors as PyTorch's (tests/recorded/)."""
from __future__ import annotations

import json
import math

import pytest

import minigrad
from tests.helpers import answers
from tests.recorded import measured, programs

PROGRAMS = programs()
RECORDED = answers.load("recorded")


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_pytorch(name):
    got = json.loads(json.dumps(measured(minigrad, PROGRAMS[name])).replace("minigrad.", "torch."))
    assert_close(got, RECORDED[name], name)


def test_every_program_is_recorded():
    assert set(PROGRAMS) == set(RECORDED)


def assert_close(got, wanted, where):
    """Compare nested plain data; floats to the digits that are printed."""
    if isinstance(wanted, float) and isinstance(got, float):
        assert math.isclose(got, wanted, rel_tol=2e-5, abs_tol=1e-6), (where, got, wanted)
    elif isinstance(wanted, dict) and isinstance(got, dict):
        assert list(got) == list(wanted), where
        for key in wanted:
            assert_close(got[key], wanted[key], f"{where}: {key}")
    elif isinstance(wanted, list) and isinstance(got, list):
        assert len(got) == len(wanted), (where, got, wanted)
        for number, (left, right) in enumerate(zip(got, wanted)):
            assert_close(left, right, f"{where}[{number}]")
    else:
        assert got == wanted, where
