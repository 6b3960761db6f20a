"""gradcheck and gradgradcheck, in both modes.

Every expectation here is PyTorch's: the file also passes with MINIGRAD_TEST_BACKEND=torch.
"""
from __future__ import annotations

import importlib

import pytest

from tests.helpers.backend import BACKEND, raises, torch

GradcheckError = importlib.import_module(f"{BACKEND}.autograd.gradcheck").GradcheckError
gradcheck, gradgradcheck = torch.autograd.gradcheck, torch.autograd.gradgradcheck


def doubles(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def square_with(backward):
    """A Function that squares, with this backward of (ctx, x, grad)."""
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.set_materialize_grads(False)
            return x ** 2

        @staticmethod
        def backward(ctx, grad):
            return backward(ctx, *ctx.saved_tensors, grad)
    return Square.apply


right = square_with(lambda ctx, x, grad: None if grad is None else 2 * x * grad)
wrong = square_with(lambda ctx, x, grad: None if grad is None else 3 * grad)

FUNCTIONS = [
    lambda x: x.sin(), lambda x: x.sum(), lambda x: (x * 2, x.exp()), lambda x: x.max(0),
    lambda x: [x, x ** 2], lambda x: x.clone().mul_(x), lambda x: (x * 2, x.argmax()), right,
]


@pytest.mark.parametrize("fast_mode", [False, True])
@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
def test_right_gradients_pass(number, fast_mode):
    assert gradcheck(FUNCTIONS[number], doubles(0.3, 0.7, 1.1), fast_mode=fast_mode) is True
    assert gradgradcheck(FUNCTIONS[number], doubles(0.3, 0.7, 1.1), fast_mode=fast_mode) is True


@pytest.mark.parametrize("fast_mode", [False, True])
def test_several_inputs(fast_mode):
    x, y = doubles(0.3, 0.7), doubles(1.0, 2.0)
    assert gradcheck(lambda x, y, k: x * y * k, (x, y.detach(), 3), fast_mode=fast_mode)
    assert gradcheck(torch.outer, (x, y), fast_mode=fast_mode)
    assert gradcheck(lambda x, y: x * 2, (x, y), fast_mode=fast_mode)
    assert gradcheck(lambda x: x * 2, torch.zeros(0, dtype=torch.float64, requires_grad=True),
                     fast_mode=fast_mode)


def test_the_message_shows_both_jacobians():
    with pytest.raises(GradcheckError) as caught:
        gradcheck(wrong, doubles(1.0, 2.0))
    assert str(caught.value) == (
        "Jacobian mismatch for output 0 with respect to input 0,\nnumerical:tensor([[2.0000, 0.0000],\n      "
        "  [0.0000, 4.0000]], dtype=torch.float64)\nanalytical:tensor([[3., 0.],\n        [0., 3.]], "
        "dtype=torch.float64)\n")
    assert gradcheck(wrong, doubles(1.0, 2.0), raise_exception=False) is False
    assert issubclass(GradcheckError, RuntimeError)


def test_inputs_are_checked():
    with raises(ValueError, "gradcheck expects at least one input tensor to require gradient, but none of "
                            "them have "
                "requires_grad=True."):
        gradcheck(lambda x: x, torch.ones(2, dtype=torch.float64))
    with raises(RuntimeError, "The 0th input has a dimension with stride 0. gradcheck only supports inputs "
                              "that are "
                "non-overlapping"):
        gradcheck(lambda x: x * 2, doubles(1.0).expand(3))
    with pytest.warns(UserWarning, match="Input #0 requires gradient and is not a double precision floating "
                                         "point"):
        gradcheck(lambda x: x * 2, torch.tensor([1.0], requires_grad=True), eps=1e-2)


def test_functions_without_differentiable_outputs():
    assert gradcheck(lambda x: x.detach() * 0, doubles(1.0, 2.0))
    for fast_mode in (False, True):
        with raises(GradcheckError, "Numerical gradient for function expected to be zero"):
            gradcheck(lambda x: x.detach() * 2, doubles(1.0, 2.0), fast_mode=fast_mode)


def test_passes_must_repeat_themselves():
    calls = []

    def drifting(ctx, x, grad):
        calls.append(None)
        return None if grad is None else (2 * x + len(calls) * 1e-9) * grad

    with raises(GradcheckError,
                "Backward is not reentrant, i.e., running backward with same input and grad_output "
                "multiple times gives different values, although analytical gradient matches "
                "numerical gradient.The tolerance for nondeterminism was 0.0."):
        gradcheck(square_with(drifting), doubles(1.0, 2.0))
    assert gradcheck(square_with(drifting), doubles(1.0, 2.0), nondet_tol=1e-6)


def test_backward_must_be_linear():
    with raises(GradcheckError, "backward not multiplied by grad_output"):
        gradcheck(square_with(lambda ctx, x, grad: 2 * x * grad + 1e-7), doubles(1.0, 2.0))


def test_shapes_must_not_change():
    x = doubles(0.5, 0.5)
    with raises(AssertionError, "Expected `func` to return outputs with the same shape when inputs are "
                                "perturbed on index "
                "(0,) by 1e-06, but got: shapes torch.Size([2]) and torch.Size([1])."):
        gradcheck(lambda x: x[:1] if x.sum() > 1 else x, x)


def test_second_derivatives():
    once = square_with(lambda ctx, x, grad: None if grad is None else 2 * x.detach() * grad)
    assert gradcheck(once, doubles(1.0, 2.0))
    with raises(GradcheckError, "Jacobian mismatch for output 0 with respect to input 0,"):
        gradgradcheck(once, doubles(1.0, 2.0))
    assert gradgradcheck(lambda x: x ** 3, doubles(1.0, 2.0), doubles(0.5, 1.5))
