"""The answers that PyTorch gave to the calls of tests/answers.py, word for word."""
from __future__ import annotations

import json

import pytest

import minigrad
from tests.answers import CALLS, DATA, answer

RECORDED = json.loads(DATA.read_text())


@pytest.mark.parametrize("call", CALLS)
def test_answer(call):
    assert answer(minigrad, call).replace("minigrad.", "torch.") == RECORDED[call]


def test_every_call_is_recorded():
    assert set(RECORDED) == set(CALLS)
