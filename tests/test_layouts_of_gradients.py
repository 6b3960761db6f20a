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


@pytest.mark.parametrize("function", [
    lambda x: x.softmax(2), lambda x: x.log_softmax(0), lambda x: x.cumsum(2), lambda x: x.logcumsumexp(0),
    lambda x: x.roll(1, 0), lambda x: x.tril(), lambda x: x.renorm(2, 0, 1.)])
def test_what_goes_along_dimensions_lies_row_by_row(function):
    x = torch.tensor([[0.25, 0.1], [-1.0, -0.5], [-0.5, 3.0]]).T.sin().view(2, 3, 1).transpose(1, 2)
    assert x.stride() == x.sin().stride() == (1, 2, 2)
    assert function(x).stride() == (3, 3, 1)


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


@pytest.mark.parametrize(("call", "strides"), [
    ("rows.add(doubles, alpha=2)", (3, 1)), ("torch.sub(rows.long(), 0.1, alpha=0.5)", (3, 1)),
    ("rows.isreal()", (3, 1)), ("rows.data.exp()", (3, 1)),
    ("torch.ldexp(doubles.sum().float(), windows)", (6, 3, 1)),
    ("torch.where(doubles > 1, doubles, rows)", (3, 1)),
    ("torch.div(rows, doubles, rounding_mode='floor')", (3, 1)), ("rows.clamp(doubles, doubles)", (3, 1)),
    ("windows.abs()", (6, 1, 2)), ("windows.isnan()", (6, 1, 2)), ("windows.atan2(doubles)", (6, 1, 2)),
    ("2 + windows", (6, 1, 2)), ("windows.eq(windows.double())", (6, 1, 2)),
])
def test_operands_are_looked_at_as_they_were_given(call, strides):
    names = {"torch": torch, "rows": torch.arange(3.0).expand(2, 3),
             "doubles": torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64),
             "windows": torch.arange(8.0).view(2, 4).unfold(1, 2, 1).transpose(1, 2)}
    assert eval(call, names).stride() == strides


def distinct_nodes(function, *inputs):
    """How many nodes there are from the gradients of squares of the result up to the inputs."""
    middle = [x * 1 for x in inputs]
    total = (function(*middle) ** 2).sum()
    grads = torch.autograd.grad(total, middle, create_graph=True)
    found, queue = {one.grad_fn for one in middle}, [one.grad_fn for one in grads]
    while queue:
        node = queue.pop()
        if node is not None and node not in found:
            found.add(node)
            queue += [child for child, _ in node.next_functions]
    return len(found)


@pytest.mark.parametrize(("function", "nodes"), [
    (lambda a, b: torch.atan2(a, b), 16),
    (lambda a, b: a.scatter_reduce(0, torch.tensor([[0, 0], [1, 0]]), b, "amax"), 10),
    (lambda a, b: torch.linalg.solve(a, b), 11),
    (lambda a, b: F.prelu(a, b[0]), 12),
    (lambda a, b: F.layer_norm(a, (2,), b[0], b[1]), 12),
])
def test_the_formulas_of_a_node_share_what_they_have_in_common(function, nodes):
    a = torch.tensor([[0.5, 0.8], [1.2, 1.5]], requires_grad=True)
    assert distinct_nodes(function, a, (a + 1).detach().requires_grad_()) == nodes


def test_a_node_that_is_called_unpacks_each_saved_tensor_once():
    asked = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: asked.append(1) or x):
        y = torch.atan2(matrix(), matrix())
    first, second = y.grad_fn(torch.ones(2, 3))
    assert len(asked) == 2 and first.tolist() == [[-g for g in row] for row in second.tolist()]


def test_put_keeps_its_source_only_for_the_gradient_of_that():
    kept = [(matrix() * 1).put(torch.tensor([0]), torch.ones(1, requires_grad=wanted)).grad_fn._saved_source
            for wanted in (False, True)]
    assert kept[0] is None and kept[1].tolist() == [1.0]


def test_a_gradient_that_was_laid_out_anew_is_no_view():
    y = matrix() * 1
    grad, = torch.autograd.grad((y.cumsum(0) ** 2).sum(), y)
    assert not grad._is_view()
    turned = torch.arange(24.0).view(2, 3, 4).permute(2, 0, 1).requires_grad_() * 1
    grad, = torch.autograd.grad((turned.flip(0) ** 2).sum(), turned)
    assert grad.stride() == (1, 12, 4) and not grad._is_view()


def test_a_gradient_that_only_broadcasts_to_the_collected_one_is_refused():
    x = torch.ones(6, requires_grad=True)
    x.sum().backward()
    x.data = torch.ones(2, 6)
    with pytest.raises(RuntimeError, match=r"output with shape \[6\] doesn't match the broadcast shape "
                                           r"\[2, 6\]"):
        x.sum().backward()


def test_isclose_asks_for_the_histories_of_what_it_subtracts():
    x = torch.ones(2, 1, requires_grad=True)
    first, second = x.chunk(2)
    torch.autograd.graph.increment_version(x)
    with pytest.raises(RuntimeError, match="Output 0 of Split is a view"):
        second.isclose(first)
    assert second.isclose(first, rtol=0, atol=0).all() and torch.allclose(second, first)
    with pytest.raises(TypeError, match="argument 'x2' .position 2. must be Tensor, not int"):
        F.pairwise_distance(x, 4)


def test_a_gradient_arrives_in_inference_mode():
    x = torch.tensor([0.1, 2.0], requires_grad=True)
    y = x.sum(0).unsqueeze(-1)
    with torch.inference_mode():
        y.backward()
    assert x.grad.tolist() == [1, 1]


def test_ldexp_keeps_its_exponents_for_its_mantissas_alone():
    exponents = torch.tensor([1.0, 2.0], requires_grad=True) * 1
    y = torch.ldexp(torch.tensor(1.0), exponents)
    exponents.add_(1)
    y.sum().backward()
    y = torch.ldexp(torch.ones(2, requires_grad=True), exponents)
    exponents.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_whole_numbers_that_are_rounded_lie_as_they_lay():
    assert torch.arange(12).reshape(2, 2, 3).transpose(1, 2).round().stride() == (6, 1, 3)
