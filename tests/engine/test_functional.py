"""torch.autograd.functional: Jacobians, Hessians, their products with vectors, and what strict mode refuses.

Every expectation here is PyTorch's: the file also passes with MINIGRAD_TEST_BACKEND=torch.
"""
from __future__ import annotations

import importlib
import os
import re

import pytest

torch = importlib.import_module(os.environ.get("MINIGRAD_TEST_BACKEND", "minigrad"))
F = torch.autograd.functional


def vector(requires_grad=False):
    return torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=requires_grad)


def cubes(x):
    return (x ** 3).sum()


def linear(x):
    return 3 * x.sum()


def constant(x):
    return torch.ones((), dtype=torch.float64)


def unconnected(x):
    return torch.zeros(2, requires_grad=True) * 1


def nested(value):
    return tuple(nested(one) for one in value) if isinstance(value, tuple) else value.tolist()


def refuses(kind, message, function, *args, **kwargs):
    with pytest.raises(kind, match=re.escape(message)):
        function(*args, **kwargs)


# --- values and shapes --------------------------------------------------------------------------------------

@pytest.mark.parametrize("vectorize", [False, True])
def test_jacobian_of_one_tensor(vectorize):
    squares = F.jacobian(lambda x: x * x, vector(), vectorize=vectorize)
    assert squares.tolist() == [[2, 0, 0], [0, 4, 0], [0, 0, 6]]
    assert F.jacobian(cubes, vector(), vectorize=vectorize).tolist() == [3, 12, 27]
    assert F.jacobian(lambda x: x ** 2, torch.tensor(3.0), vectorize=vectorize).tolist() == 6


@pytest.mark.parametrize("vectorize", [False, True])
def test_jacobian_of_tuples(vectorize):
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([[3.0], [4.0]])
    rows = F.jacobian(lambda x, y: (x * 2, y.sum()), (x, y), vectorize=vectorize)
    assert nested(rows) == (([[2, 0], [0, 2]], [[[0], [0]], [[0], [0]]]), ([0, 0], [[1], [1]]))
    assert isinstance(F.jacobian(lambda x: (x.sum(),), x, vectorize=vectorize), tuple)
    assert isinstance(F.jacobian(lambda x: x.sum(), (x,), vectorize=vectorize), tuple)


def test_hessian():
    for vectorize in (False, True):
        assert F.hessian(cubes, vector(), vectorize=vectorize).tolist() == [[6, 0, 0], [0, 12, 0], [0, 0, 18]]
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    blocks = F.hessian(lambda x, y: (x * x * y).sum(), (x, y))
    assert nested(blocks) == (([[6, 0], [0, 8]], [[2, 0], [0, 4]]), ([[2, 0], [0, 4]], [[0, 0], [0, 0]]))


def test_products_with_vectors():
    x, v = vector(), torch.tensor([1.0, 0.0, 2.0], dtype=torch.float64)
    assert nested(F.vjp(lambda x: x * x, x, v)) == ([1, 4, 9], [2, 0, 12])
    assert nested(F.jvp(lambda x: x * x, x, v)) == ([1, 4, 9], [2, 0, 12])
    assert nested(F.vhp(cubes, x, v)) == (36, [6, 0, 36])
    assert nested(F.hvp(cubes, x, v)) == (36, [6, 0, 36])


def test_the_vector_may_be_left_out_for_single_numbers():
    assert nested(F.vjp(cubes, vector())) == (36, [3, 12, 27])
    two = torch.tensor(2.0)
    assert nested(F.jvp(lambda x: x ** 2, two)) == (4, 4)
    assert nested(F.vhp(lambda x: x ** 3, two)) == (8, 12)
    assert nested(F.hvp(lambda x: x ** 3, two)) == (8, 12)


# --- what the results are connected to ----------------------------------------------------------------------

def test_results_have_no_history_unless_asked_for():
    x = vector(requires_grad=True)
    assert not F.jacobian(lambda x: x ** 3, x).requires_grad
    assert not F.hessian(cubes, x).requires_grad
    for function in (F.vjp, F.jvp, F.vhp, F.hvp):
        outputs, product = function(cubes, x, None if function is F.vjp else vector())
        assert not outputs.requires_grad and not product.requires_grad
    assert x.grad is None


def test_create_graph_connects_to_the_inputs():
    x = vector(requires_grad=True)
    F.jacobian(lambda x: x ** 3, x, create_graph=True).sum().backward()
    assert x.grad.tolist() == [6, 12, 18]
    output, product = F.vjp(cubes, x, create_graph=True)
    assert output.requires_grad and torch.autograd.grad(product.sum(), x)[0].tolist() == [6, 12, 18]


def test_the_function_sees_aliases():
    x, seen = vector(requires_grad=True), []

    def look(y):
        seen.append((y is x, y.requires_grad, y.is_leaf))
        return (y * x.detach()).sum()

    F.jacobian(look, x)
    F.jacobian(look, x, create_graph=True)
    assert seen == [(False, True, True), (False, True, False)]


def test_works_where_recording_is_off():
    with torch.no_grad():
        assert F.jacobian(lambda x: x * x, vector()).tolist() == [[2, 0, 0], [0, 4, 0], [0, 0, 6]]
        assert F.hvp(cubes, vector(), vector())[1].tolist() == [6, 24, 54]


# --- what is refused ----------------------------------------------------------------------------------------

def test_strict_jacobian():
    refuses(RuntimeError, "Output 0 of the user-provided function does not require gradients. The outputs "
                          "must be "
            "computed in a differentiable manner from the input when running in strict mode.",
            F.jacobian, constant, vector(), strict=True)
    refuses(RuntimeError, "Output 0 of the user-provided function is independent of input 0. This is not "
                          "allowed in "
            "strict mode.", F.jacobian, unconnected, vector(), strict=True)
    refuses(RuntimeError, "The jacobian of the user-provided function is independent of input 0. This is not "
                          "allowed "
            "in strict mode when create_graph=True.",
            F.jacobian, linear, vector(True), strict=True, create_graph=True)
    assert F.jacobian(constant, vector()).tolist() == [0, 0, 0]
    assert F.jacobian(linear, vector(), strict=True).tolist() == [3, 3, 3]


def test_strict_products():
    x, v = vector(), vector()
    refuses(RuntimeError, "The output of the user-provided function is independent of input 0. This is not "
                          "allowed in "
            "strict mode.", F.vjp, lambda x: unconnected(x).sum(), x, strict=True)
    for function in (F.vhp, F.hvp):
        refuses(RuntimeError, "While computing the hessian, found that the jacobian of the user-provided "
                              "function with "
                "respect to input 0 is independent of the input. This is not allowed in strict mode. You "
                "should ensure that your function is twice differentiable and that the jacobian depends on "
                "the inputs (this would be violated by a linear function for example).",
                function, linear, x, v, strict=True)
    refuses(RuntimeError, "While computing the hessian", F.hessian, linear, x, strict=True)
    assert F.vhp(linear, x, v)[1].tolist() == [0, 0, 0]


def test_types():
    for function in (F.jacobian, F.hessian):
        refuses(TypeError, "The inputs given to", function, cubes, [vector()])
        refuses(TypeError, "The outputs of the user-provided function given to", function, lambda x: 1.0,
                vector())
    refuses(TypeError, "must be either a Tensor or a tuple of Tensors but the value at index 1 has type "
                       "<class 'float'>.",
            F.jacobian, cubes, (vector(), 1.0))
    refuses(TypeError, "The v given to vjp must be either a Tensor or a tuple of Tensors but the given v has "
                       "type "
            "<class 'float'>.", F.vjp, cubes, vector(), 3.0)


def test_the_vector_must_fit():
    x = vector()
    refuses(RuntimeError, "v has invalid size: should be torch.Size([3]) but got torch.Size([2]).",
            F.jvp, cubes, x, torch.ones(2))
    refuses(RuntimeError, "The given v should contain a single Tensor.", F.jvp, cubes, x, (x, x))
    refuses(RuntimeError, "v is a tuple of invalid length: should be 2 but got 1.",
            F.jvp, lambda a, b: a * b, (x, x), (x,))
    refuses(RuntimeError, "Entry 1 in v has invalid size: should be torch.Size([3]) but got torch.Size([]).",
            F.jvp, lambda a, b: a * b, (x, x), (x, torch.tensor(1.0)))
    refuses(RuntimeError, "The vector v can only be None if the user-provided function returns a single "
                          "Tensor with a "
            "single element.", F.vjp, lambda x: x * 2, x)
    for function in (F.jvp, F.vhp, F.hvp):
        refuses(RuntimeError, "The vector v can only be None if the input to the user-provided function is a "
                              "single "
                "Tensor with a single element.", function, cubes, x)


def test_second_derivatives_need_a_single_number():
    for name in ("hessian", "vhp", "hvp"):
        args = () if name == "hessian" else (vector(),)
        refuses(RuntimeError, f"The function given to {name} should return a single Tensor",
                getattr(F, name), lambda x: (x.sum(),), vector(), *args)
        refuses(RuntimeError, f"The Tensor returned by the function given to {name} should contain a single "
                              "element",
                getattr(F, name), lambda x: x * 2, vector(), *args)
