"""torch.utils: checkpoints, and data in batches.

Every expectation here is PyTorch's: the file also passes with MINIGRAD_TEST_BACKEND=torch.
"""
from __future__ import annotations

import contextlib
import importlib
import os
import re

import pytest

BACKEND = os.environ.get("MINIGRAD_TEST_BACKEND", "minigrad")
torch = importlib.import_module(BACKEND)
checkpoints = importlib.import_module(f"{BACKEND}.utils.checkpoint")
data = importlib.import_module(f"{BACKEND}.utils.data")
checkpoint = checkpoints.checkpoint


def leaf(*values):
    return torch.tensor(list(values), requires_grad=True)


def raises(kind, message):
    return pytest.raises(kind, match=re.escape(message))


@pytest.fixture(params=[True, False], ids=["reentrant", "placeholders"])
def reentrant(request):
    return request.param


# --- checkpoint ---------------------------------------------------------------------------------------------

def test_the_function_runs_again_in_the_backward_pass(reentrant):
    calls = []

    def function(x, factor, y):
        calls.append(torch.is_grad_enabled())
        return (x * factor * y).exp()

    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    result = checkpoint(function, x, 0.1, y, use_reentrant=reentrant)
    assert calls == [not reentrant]
    result.sum().backward()
    assert calls == [not reentrant, True]
    plain_x, plain_y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    function(plain_x, 0.1, plain_y).sum().backward()
    assert x.grad.tolist() == plain_x.grad.tolist() and y.grad.tolist() == plain_y.grad.tolist()


def test_both_runs_draw_the_same_numbers(reentrant):
    torch.manual_seed(0)
    x = leaf(1.0, 1.0)
    result = checkpoint(lambda x: x * torch.rand(2), x, use_reentrant=reentrant)
    afterwards = torch.get_rng_state()
    result.sum().backward()
    assert x.grad.tolist() == result.tolist() and torch.get_rng_state().tolist() == afterwards.tolist()


def test_in_parts(reentrant):
    functions = [lambda x: x * 2, torch.exp, torch.sin, lambda x: x ** 2, torch.cos]
    x, plain = leaf(0.1, 0.2), leaf(0.1, 0.2)
    checkpoints.checkpoint_sequential(functions, 2, x, use_reentrant=reentrant).sum().backward()
    result = plain
    for function in functions:
        result = function(result)
    result.sum().backward()
    assert x.grad.tolist() == plain.grad.tolist()


def test_nested(reentrant):
    inner = lambda x: x.exp().sin()
    x, plain = leaf(0.5), leaf(0.5)
    checkpoint(lambda x: checkpoint(inner, x * 2, use_reentrant=False).cos(), x,
               use_reentrant=reentrant).backward()
    inner(plain * 2).cos().backward()
    assert x.grad.tolist() == plain.grad.tolist()


def test_retained_and_freed(reentrant):
    x = leaf(1.0)
    result = checkpoint(torch.exp, x, use_reentrant=reentrant)
    result.backward(retain_graph=True)
    result.backward()
    with raises(RuntimeError, "Trying to backward through the graph a second time"):
        result.backward()


def test_inputs_are_watched(reentrant):
    x = leaf(1.0)
    y = x * 1
    result = checkpoint(torch.exp, y, use_reentrant=reentrant)
    with torch.no_grad():
        y.add_(1)
    with raises(RuntimeError, "which is output 0 of Mul, is at version 1; expected version 0 instead."):
        result.backward()


def test_the_reentrant_way_is_for_whole_passes():
    x = leaf(1.0)
    for run in (lambda y: torch.autograd.grad(y, x), lambda y: y.backward(inputs=[x])):
        with raises(RuntimeError, "When use_reentrant=True, torch.utils.checkpoint is incompatible with "
                                  ".grad() or "
                    "passing an `inputs` parameter to .backward()."):
            run(checkpoint(torch.exp, x, use_reentrant=True))
        run(checkpoint(torch.exp, x, use_reentrant=False))


def test_the_reentrant_way_needs_inputs_with_gradients():
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True. Gradients will be "
                                         "None"):
        assert not checkpoint(torch.exp, torch.ones(1), use_reentrant=True).requires_grad
    result = checkpoint(lambda x: x.detach() * 2, leaf(1.0), use_reentrant=True)
    with raises(RuntimeError, "none of output has requires_grad=True, this checkpoint() is not necessary"):
        result.backward()


def test_say_which_way():
    with pytest.warns(UserWarning, match="the use_reentrant parameter should be passed explicitly. Starting "
                                         "in PyTorch"):
        assert checkpoint(torch.exp, leaf(1.0)).grad_fn.name() == "CheckpointFunctionBackward"


def test_arguments_that_do_not_go_together():
    with raises(ValueError, "Unexpected keyword arguments: factor"):
        checkpoint(torch.exp, leaf(1.0), use_reentrant=True, factor=2)
    with raises(ValueError, "Passing `context_fn` or `debug` is only supported when use_reentrant=False."):
        checkpoint(torch.exp, leaf(1.0), use_reentrant=True, debug=True)
    with raises(ValueError, "determinism_check should be one of ['default', 'none'], but got some"):
        checkpoint(torch.exp, leaf(1.0), use_reentrant=False, determinism_check="some")


@pytest.mark.parametrize("early_stop", [True, False])
def test_the_second_run_stops_early(early_stop):
    ends = []

    def function(x):
        y = x.exp()
        ends.append(None)
        return y

    checkpoint(function, leaf(1.0), use_reentrant=False, early_stop=early_stop).backward()
    assert len(ends) == (1 if early_stop else 2)


def test_both_runs_must_save_the_same():
    def run(*functions, **options):
        rest = list(functions)
        checkpoint(lambda x: rest.pop(0)(x), leaf(1.0, 2.0), use_reentrant=False, **options).sum().backward()

    one, two = (lambda x: x.exp()), (lambda x: x.exp().sin())
    with raises(checkpoints.CheckpointError, "A different number of tensors was saved during the original "
                                             "forward and "
                "recomputation.\nNumber of tensors saved during forward: 2\nNumber of tensors saved during "
                "recomputation: 1."):
        run(two, one)
    with raises(checkpoints.CheckpointError, "trying to save more tensors during recomputation than during "
                                             "the original "
                "forward pass."):
        run(one, two, early_stop=False)
    with raises(checkpoints.CheckpointError, "Recomputed values for the following tensors have different "
                                             "metadata than "
                "during the forward pass.\ntensor at position 0:\nsaved metadata: {'shape': torch.Size([2]), "
                "'dtype': torch.float32, 'device': device(type='cpu')}\nrecomputed metadata: {'shape': "
                "torch.Size([1]),"):
        run(one, lambda x: one(x[:1]))


def test_higher_derivatives_through_placeholders():
    x = leaf(2.0)
    g, = torch.autograd.grad(checkpoint(lambda x: x ** 3, x, use_reentrant=False), x, create_graph=True)
    assert torch.autograd.grad(g, x)[0].item() == 12


# --- data ---------------------------------------------------------------------------------------------------

@pytest.fixture
def rows():
    return data.TensorDataset(torch.arange(10.0), torch.arange(10) * 2)


def test_batches_in_order(rows):
    batches = [(x.tolist(), y.tolist()) for x, y in data.DataLoader(rows, batch_size=4)]
    assert batches == [([0, 1, 2, 3], [0, 2, 4, 6]), ([4, 5, 6, 7], [8, 10, 12, 14]), ([8, 9], [16, 18])]
    loader = data.DataLoader(rows, batch_size=4, drop_last=True)
    assert len(loader) == len(list(loader)) == 2


def test_shuffled_as_pytorch_does(rows):
    torch.manual_seed(3)
    assert [x.tolist() for x, _ in data.DataLoader(rows, batch_size=3, shuffle=True)] == \
        [[6, 2, 0], [1, 8, 3], [5, 4, 7], [9]]
    loader = data.DataLoader(rows, batch_size=5, shuffle=True, generator=torch.Generator().manual_seed(1))
    assert [x.tolist() for x, _ in loader] == [[4, 6, 9, 2, 3], [1, 0, 7, 8, 5]]


def test_what_becomes_of_samples():
    assert data.default_collate([1, 2]).tolist() == [1, 2]
    assert data.default_collate([1.0, 2.0]).dtype == torch.float64
    assert data.default_collate([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])["b"] == ["x", "y"]
    assert [column.tolist() for column in data.default_collate([(1, 2.0), (3, 4.0)])] == [[1, 3], [2, 4]]
    with raises(RuntimeError, "each element in list of batch should be of equal size"):
        data.default_collate([[1], [1, 2]])


def test_parts_of_data_sets(rows):
    torch.manual_seed(0)
    parts = data.random_split(rows, [0.5, 0.3, 0.2])
    assert [len(part) for part in parts] == [5, 3, 2]
    assert sorted(i for part in parts for i in part.indices) == list(range(10))
    both = rows + rows
    assert len(both) == 20 and both[13][1].item() == 6 and both[-1][0].item() == 9


def test_data_refusals(rows):
    with raises(ValueError, "sampler option is mutually exclusive with shuffle"):
        data.DataLoader(rows, shuffle=True, sampler=[1])
    with raises(ValueError, "batch_size should be a positive integer value, but got batch_size=0"):
        data.DataLoader(rows, batch_size=0)
    with raises(AssertionError, "Size mismatch between tensors"):
        data.TensorDataset(torch.ones(2), torch.ones(3))


def test_a_group_of_passes_runs_again_once():
    runs = []

    def function(x):
        runs.append(1)
        y = x.sin().cos()
        return y, y.sin().cos()

    for grouped, expected in ((True, 2), (False, 3)):
        runs.clear()
        x = leaf(1.0)
        y, z = checkpoint(function, x, use_reentrant=False)
        with checkpoints.GraphExecGroup() if grouped else contextlib.nullcontext():
            middle, = torch.autograd.grad(z, y)
            torch.autograd.grad(y, x, middle)
        assert len(runs) == expected


def test_passes_of_a_group_do_not_overlap():
    y = checkpoint(lambda x: x.sin().cos(), leaf(1.0), use_reentrant=False)
    with checkpoints.GraphExecGroup():
        y.backward(retain_graph=True)
        with raises(RuntimeError, "Performing two backward calls that overlap (i.e. require the same saved "
                                  "activation in order to compute gradients) is not allowed"):
            y.backward()
        with raises(RuntimeError, "GraphExecGroup contexts cannot be nested."):
            with checkpoints.GraphExecGroup():
                pass
