"""Every operation's gradients, first and second, against nudged inputs (gradcheck and gradgradcheck,
float64).

The inputs are those of tests/op_samples/, moved a little so that none stands on a kink or a tie, where a
difference quotient means nothing.
"""
from __future__ import annotations

import math
import warnings

import pytest

import minigrad as torch
from tests.op_samples import all_samples
from tests.op_samples.measure import is_floating

SAMPLES = all_samples()
pytestmark = pytest.mark.filterwarnings("ignore")       # some operations warn of what they do, as in PyTorch

# Rows that no small move takes off the place where quotients and gradients differ by definition.
NOT_SMOOTH = {
    "arithmetic:number pow 0": "0 ** x jumps at 0",
    "elementwise:fmax#2": "has nan beside numbers",
    "elementwise:fmin#2": "has nan beside numbers",
    "elementwise:maximum#2": "one tensor twice: always a tie",
    "elementwise:minimum#2": "one tensor twice: always a tie",
    "reduction:std of one number": "is nan",
    "writing:x[list] = y, twice the same": "the gradient of both writes is that of the one that stays",
}


def prepared(sample):
    """The leaves that take gradients, and the operation as a function of them with differentiable results."""
    inputs = [moved(x, k) if is_floating(x) else x for k, x in enumerate(sample.inputs(torch))]
    places = [i for i, x in enumerate(inputs) if is_floating(x)]

    def function(*leaves):
        given = list(inputs)
        for i, x in zip(places, leaves):
            given[i] = x * 1 if sample.in_place and i == 0 else x
        result = sample.call(torch, *given)
        results = result if isinstance(result, (tuple, list)) else [result]
        return tuple(r for r in results if hasattr(r, "grad_fn") and r.requires_grad)

    return function, tuple(inputs[i] for i in places)


def moved(x, k):
    offsets = [0.013 * math.sin(1 + i + k) for i in range(x.numel())]
    offsets = torch.tensor(offsets, dtype=torch.float64).reshape(tuple(x.shape))
    return (x.detach().double() + offsets).requires_grad_()


def can_be_nudged(key):
    """Rows with numbers all finite, and computed in float64 throughout."""
    if key in NOT_SMOOTH:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return is_smooth(*prepared(SAMPLES[key]))


def is_smooth(function, leaves):
    if not leaves or not all(bool(torch.isfinite(x).all()) for x in leaves):
        return False
    results = function(*leaves)
    return bool(results) and all(r.dtype == torch.float64 for r in results)


CHECKED = [key for key in SAMPLES if can_be_nudged(key)]


@pytest.mark.parametrize("key", CHECKED)
def test_gradient(key):
    function, leaves = prepared(SAMPLES[key])
    assert torch.autograd.gradcheck(function, leaves)


@pytest.mark.parametrize("key", [key for key in CHECKED if SAMPLES[key].second])
def test_second_gradient(key):
    function, leaves = prepared(SAMPLES[key])
    assert torch.autograd.gradgradcheck(function, leaves)


def test_nearly_all_rows_are_checked():
    assert len(CHECKED) > 700


def test_a_wrong_formula_is_seen():
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * x * x

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        torch.autograd.gradcheck(Wrong.apply, moved(torch.ones(2), 0))
