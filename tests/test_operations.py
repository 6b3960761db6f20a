"""Every operation against what PyTorch answered: values, gradients, second gradients, node, saved tensors,
edits.

The answers are kept in tests/data/op_samples.json.gz; tests/record_op_samples.py asks PyTorch for them again.
"""
from __future__ import annotations

import gzip
import json
import math

import pytest

import minigrad
from tests.op_samples import all_samples
from tests.op_samples.measure import measure
from tests.record_op_samples import DATA

SAMPLES = all_samples()
RECORDED = json.loads(gzip.decompress(DATA.read_bytes()))


@pytest.mark.parametrize("key", SAMPLES)
def test_like_pytorch(key):
    wanted, got = RECORDED[key], measure(minigrad, SAMPLES[key])
    for fact in wanted:
        same(got[fact], wanted[fact], fact)


@pytest.mark.parametrize("key", [key for key in SAMPLES if "recorded" in RECORDED.get(key, ())])
def test_both_modes_agree(key):
    """An ordinary pass computes on arrays, a recorded one on tensors: same bits, same dtypes."""
    facts = measure(minigrad, SAMPLES[key])
    for plain, recorded in zip(facts["gradients"], facts["recorded"], strict=True):
        if plain is None or recorded is None:
            assert plain is recorded
            continue
        assert plain["dtype"] == recorded["dtype"]
        same(recorded["values"], plain["values"], "gradients")


def test_every_row_is_recorded():
    assert set(RECORDED) == set(SAMPLES)


def test_a_wrong_value_is_seen():
    """The comparison itself can fail."""
    wanted = RECORDED["arithmetic:mul"]
    for change in ({"values": [1.0]}, {"dtype": "torch.float32"}, {"requires_grad": True}):
        with pytest.raises(AssertionError):
            same([{**wanted["gradients"][0], **change}], wanted["gradients"][:1], "gradients")


def same(got, wanted, where):
    """Compare nested plain data; numbers to 1e-12, as two libraries may add in different orders."""
    if isinstance(wanted, float) and isinstance(got, float):
        assert math.isclose(got, wanted, rel_tol=1e-9, abs_tol=1e-12), (where, got, wanted)
    elif isinstance(wanted, list):
        assert isinstance(got, list) and len(got) == len(wanted), (where, got, wanted)
        for g, w in zip(got, wanted):
            same(g, w, where)
    elif isinstance(wanted, dict):
        assert set(got) == set(wanted)
        for name in wanted:
            same(got[name], wanted[name], f"{where}.{name}")
    else:
        assert got == wanted, (where, got, wanted)
