"""The last digits of float32 results are PyTorch's."""
from __future__ import annotations

import json
import platform
from pathlib import Path

import numpy as np
import pytest

import minigrad
from tests.digits_programs import FUNCTIONS, PROGRAMS, PROGRAMS_OF_PRODUCTS, values

DATA = Path(__file__).parent / "data" / "digits.json"
RECORDED = json.loads(DATA.read_text()) if DATA.exists() else {}
X86 = platform.machine().lower() in ("x86_64", "amd64")


@pytest.mark.parametrize("name", PROGRAMS)
def test_to_the_last_digit(name):
    assert PROGRAMS[name](minigrad) == RECORDED[name]


@pytest.mark.skipif(not X86, reason="NumPy fuses products and sums on other processors")
@pytest.mark.parametrize("name", PROGRAMS_OF_PRODUCTS)
def test_products_to_the_last_digit(name):
    assert PROGRAMS_OF_PRODUCTS[name](minigrad) == RECORDED[name]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_nearly_always(name):
    got, wanted = values(minigrad, name), RECORDED["functions"][name]
    assert np.allclose(got, wanted, rtol=3e-7, atol=0)
    assert sum(a == b for a, b in zip(got, wanted)) >= 55        # of 64


@pytest.mark.parametrize("name", ["exp", "log1p", "sin", "tanh"])
@pytest.mark.parametrize("size", [1, 7, 33])
def test_functions_are_rounded_once(name, size):
    x = np.linspace(-0.9, 3, size, dtype=np.float32)
    nearest = getattr(np, name)(x.astype(np.float64)).astype(np.float32)
    assert (getattr(minigrad, name)(minigrad.tensor(x)).numpy() == nearest).all()


def test_a_power_of_nothing_is_nothing():
    inf = float("inf")
    chances = minigrad.softmax(minigrad.tensor([[0.0, -inf, -200.0], [-inf, -inf, -inf]]), 1)
    assert chances[0].tolist() == [1, 0, 0]
    assert chances[1].isnan().all()


@pytest.mark.parametrize("function", [
    lambda F, x: F.mish(x), lambda F, x: F.gelu(x, approximate="tanh"), lambda F, x: F.silu(x),
    lambda F, x: x.tanh()])
def test_a_number_without_dimensions(function):
    alone = minigrad.tensor(0.3, requires_grad=True)
    row = minigrad.full((3,), 0.3, requires_grad=True)
    function(minigrad.nn.functional, alone).backward()
    function(minigrad.nn.functional, row).sum().backward()
    assert alone.grad.item() == row.grad[0].item()
