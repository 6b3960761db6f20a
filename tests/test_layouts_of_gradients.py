"""How gradients lie in memory, the nodes of their formulas, and smaller rules that random programs taught.

Every expectation holds on PyTorch 2.13 as well: MINIGRAD_TEST_BACKEND=torch runs the same tests there.
"""
from __future__ import annotations

import copy
import importlib
import math
import os
import warnings

import pytest

torch = importlib.import_module(os.environ.get("MINIGRAD_TEST_BACKEND", "minigrad"))

F = torch.nn.functional


def matrix():
    return torch.tensor([[0.4, 0.5, 0.2], [0.1, 0.15, 0.3]], requires_grad=True)


@pytest.mark.parametrize(("function", "strides"), [
    (lambda x: x.abs(), (1, 2)), (lambda x: x * x, (1, 2)), (lambda x: x.tanh(), (1, 2)),
    (lambda x: 3 / x, (1, 2)), (lambda x: F.gelu(x), (1, 2)), (lambda x: x.addcmul(x, x), (1, 2)),
    (lambda x: x.relu(), (3, 1)), (lambda x: F.leaky_relu(x), (3, 1)),
])
def test_a_gradient_lies_as_what_stands_first_in_its_formula(function, strides):
    x = matrix()
    by_columns = torch.ones(3, 2).T
    grad, = torch.autograd.grad(function(x), x, by_columns)
    assert grad.stride() == strides


def test_an_expanded_gradient_stays_so_where_nothing_is_computed():
    x = matrix()
    y = x - 2
    of_x, of_y = torch.autograd.grad(y.sum(), [x, y])
    assert of_x.stride() == (0, 0) and of_x is of_y
    assert torch.autograd.grad(x.double().sum(0).norm(), x)[0].stride() == (3, 1)


def test_a_sum_of_gradients_lies_as_the_first():
    x = torch.arange(1.0, 13.0).reshape(2, 2, 3).requires_grad_()
    grad, = torch.autograd.grad(torch.einsum("bij,bkj->bik", x, x).sum(), x)
    assert grad.stride() == (6, 1, 2)


def test_sums_and_copies_lie_row_by_row():
    assert torch.ones(8, 8).sum(1).stride() == (1,)
    assert copy.deepcopy(torch.nn.Parameter(torch.ones(6).expand(2, 6))).stride() == (6, 1)


def nodes(function, x):
    grad, = torch.autograd.grad(function(x), x, create_graph=True)
    found, queue = [], [grad.grad_fn]
    while queue:
        node = queue.pop(0)
        found.append(node.name().removesuffix("0").removesuffix("1").removesuffix("Backward"))
        queue += [child for child, _ in node.next_functions if child is not None]
    return " ".join(found[:9])


@pytest.mark.parametrize(("function", "names"), [
    (lambda x: torch.trace(x) ** 2, "View IndexFill Mul Mul Pow Trace torch::autograd::AccumulateGrad"),
    (lambda x: F.mish(x).sum(), "Mul Add Tanh Mul Log1P Mul Sub Exp torch::autograd::AccumulateGrad"),
])
def test_nodes_of_formulas(function, names):
    assert nodes(function, matrix()) == names


def test_the_gradient_of_a_product_of_one_is_the_one_that_came():
    x = torch.zeros(1, 3, requires_grad=True) * 1
    product = x.prod(0, keepdim=True)
    of_x, of_product = torch.autograd.grad(product.mean(), [x, product])
    assert of_x is of_product


def test_the_diagonal_of_a_tall_matrix_ends():
    x = torch.zeros(3, 1, requires_grad=True)
    assert torch.autograd.grad(torch.trace(x), x)[0].tolist() == [[1.0], [0.0], [0.0]]


def test_a_kept_gradient_stays_with_the_shape_before():
    for change in (lambda y: y.unsqueeze_(0), lambda y: y.t_(), lambda y: y.as_strided_((6,), (1,))):
        y = matrix() * 1
        y.retain_grad()
        change(y)
        y.sum().backward()
        assert y.grad.shape == (2, 3)


def test_clipping_asks_every_gradient_twice():
    y = matrix() * 2
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.nn.utils.clip_grad_norm_([y], 1.0)
    assert len(caught) == 2


@pytest.mark.parametrize(("call", "said"), [
    (lambda x: x[[0, 7], [5]], "index 5 is out of bounds for dimension 1 with size 3"),
    (lambda x: x[[7, 0], [5]], "index 7 is out of bounds for dimension 0 with size 2"),
    (lambda x: x[[0, 7], [0, 1, 2]],
     "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]"),
    (lambda x: x[:, [1, [0]]], "'list' object cannot be interpreted as an integer"),
    (lambda x: x[:, [[1, 2], [1]]], "expected sequence of length 2 at dim 1 (got 1)"),
    (lambda x: x.view(torch.tensor([4]), 1), "shape '[4, 1]' is invalid for input of size 6"),
    (lambda x: x.sum().norm(p="a"), "linalg.matrix_norm: Order a not supported."),
    (lambda x: torch.norm(x, "nuc", 0), "linalg.matrix_norm: dim must be a 2-tuple. Got 0"),
    (lambda x: torch.linalg.norm(x, 1, (0, 1, 2)),
     "linalg.norm: If dim is specified, it must be of length 1 or 2. Got [0, 1, 2]"),
    (lambda x: x.detach().index_copy_(0, torch.tensor([0, 1]), x.detach().view(2, 3)),
     "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
     "memory location. Please clone() the tensor before performing the operation."),
    (lambda x: x.view(-1).sub_(torch.tensor(True), alpha=0.5),
     "a view of a leaf Variable that requires grad is being used in an in-place operation."),
    (lambda x: (x > 0).expand(2, 2, 3).clamp_max_(1),
     "result type Long can't be cast to the desired output type bool"),
    (lambda x: torch.autograd.grad(x.addcdiv(x, torch.tensor([2])).sum(), x),
     "result type Float can't be cast to the desired output type Long"),
    (lambda x: F.cross_entropy(x, torch.tensor([0, 1]), ignore_index=[0]),
     "cross_entropy_loss(): argument 'ignore_index' (position 5) must be int, not list"),
])
def test_objections(call, said):
    with pytest.raises((RuntimeError, IndexError, TypeError, ValueError)) as caught:
        call(matrix())
    assert str(caught.value) == said


def test_small_values():
    assert math.isnan(F.gelu(torch.tensor([math.inf, 1.0]))[0]) and F.gelu(torch.tensor([math.inf]))[0] > 1
    zero, minus = torch.zeros(1, 1), torch.tensor([[-0.2]])
    assert math.copysign(1, (zero @ minus).item()) == 1
    assert math.copysign(1, (zero.expand(2, 1) @ minus.expand(1, 2))[0, 0].item()) == -1
    assert math.copysign(1, (2 % torch.tensor([-0.5])).item()) == 1
    assert torch.zeros(0, 3).logsumexp(()).tolist() == -math.inf
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.scatter_reduce(0, torch.tensor([0, 1]), x, "amax")
    y.data += 1
    assert all([math.isnan(g) for g in torch.autograd.grad(y.sum(), x)[0].tolist()])


def test_dtypes():
    assert torch.ones(2).to(2.5).dtype is torch.float64 and torch.ones(2).to(True).dtype is torch.bool
    assert torch.trapezoid(torch.tensor([[1, 0, 1]]), dim=1).dtype is torch.float32
