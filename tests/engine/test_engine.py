"""The backward pass itself: its order, its depth, what it frees and when, passes inside passes and in
threads.

Every expectation here is PyTorch's: the file also passes with MINIGRAD_TEST_BACKEND=torch.
"""
from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref

import pytest

from tests.helpers.backend import list_leaf as leaf
from tests.helpers.backend import torch


@pytest.fixture
def without_gc():
    """Whatever dies in the test must die by reference count alone."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


# --- order --------------------------------------------------------------------------------------------------

def test_of_two_ready_nodes_the_one_recorded_last_runs_first():
    x, order = leaf(2.0), []
    early, late = x * 3, x * 4
    early.register_hook(lambda grad: order.append("early"))
    late.register_hook(lambda grad: order.append("late"))
    (early + late).sum().backward()
    assert order == ["late", "early"]


def test_a_node_waits_for_all_of_its_gradient():
    x, seen = leaf(2.0), []
    y = x * x
    y.register_hook(lambda grad: seen.append(grad.item()))
    (y * 3 + y.exp().log() + y * 4).sum().backward()
    assert seen == [pytest.approx(8.0)]


def test_leaves_of_one_node_run_in_its_argument_order():
    leaves, order = [leaf(1.0) for _ in range(5)], []
    for i, x in enumerate(leaves):
        x.register_hook(lambda grad, i=i: order.append(i))
    torch.stack(leaves).sum().backward()
    assert order == [0, 2, 4, 1, 3]     # equal priorities leave a binary heap in this order


def test_a_hook_sees_the_gradients_of_leaves_that_were_complete_before():
    leaves, filled = [leaf(float(i + 1)) for i in range(7)], []
    product = leaves[0] * leaves[1]
    for x in leaves[2:]:
        product = product * x
    leaves[0].register_post_accumulate_grad_hook(
        lambda _: filled.extend(i for i, x in enumerate(leaves) if x.grad is not None))
    product.sum().backward()
    assert filled == [0, 2, 3, 4, 5, 6]


def test_the_shortest_path_does_not_run_early():
    """A node that is reached by a long and a short path gives its gradient on once, complete."""
    x = leaf(1.0)
    y = x * 2
    long = y
    for _ in range(50):
        long = long + y
    long.sum().backward()
    assert x.grad.tolist() == [102.0]


def test_a_ladder_visits_each_node_once():
    x, visits = leaf(1.0), []
    y = x
    for _ in range(30):
        y = y + y
        y.register_hook(lambda grad: visits.append(1))
    y.backward()
    assert x.grad.tolist() == [2.0 ** 30]
    assert len(visits) == 30


# --- accumulation -------------------------------------------------------------------------------------------

def test_gradients_inside_the_graph_start_anew_with_each_pass():
    w = leaf(1.0, 1.0, 1.0)
    mean = (w * 1).mean()
    for expected in (1 / 3, 2 / 3, 1.0):
        mean.backward(retain_graph=True)
        assert w.grad.tolist() == pytest.approx([expected] * 3)


def test_grad_is_added_to_in_place_and_never_shared():
    a, b = leaf(1.0), leaf(2.0)
    (a + b).sum().backward()
    first = a.grad
    first.mul_(10)
    assert b.grad.tolist() == [1.0]
    (a + b).sum().backward()
    assert a.grad is first and first.tolist() == [11.0]


def test_the_gradient_given_to_backward_is_not_kept():
    x, g = leaf(1.0, 2.0), torch.ones(2)
    x.backward(g)
    g.mul_(7)
    assert x.grad.tolist() == [1.0, 1.0]


def test_several_roots_one_inside_the_other():
    x = leaf(3.0)
    y = x * x
    z = y * 2
    torch.autograd.backward([y, z, y])
    assert x.grad.tolist() == [6.0 * 4]


def test_a_failed_pass_leaves_what_was_done():
    w, x = leaf(1.0), leaf(1.0)
    bad = x.exp()
    total = (w * 3 + bad).sum()
    bad.add_(1)
    total = total + (w * 3).sum()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        (total + bad.sum() * 0 + (bad * bad).sum()).backward()
    assert x.grad is None and w.grad.tolist() == [6.0]


# --- what is freed ------------------------------------------------------------------------------------------

def test_saved_tensors_go_node_by_node():
    x = leaf(2.0)
    shared = x * x
    p, q = shared * 3, shared + 1
    p.sum().backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        p.grad_fn._saved_other
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        q.sum().backward()


def test_a_graph_that_saved_nothing_runs_twice():
    x = leaf(1.0, 2.0)
    y = (x + 1).sum()
    y.backward()
    y.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_everything_dies_with_its_last_name(without_gc):
    x = leaf(1.0, 2.0)
    y = (x * 3).exp()
    watched = [weakref.ref(y), weakref.ref(y.grad_fn._saved_result), weakref.ref(x)]
    z = y.sum()
    del y
    z.backward()
    del z, x
    assert [w() for w in watched] == [None, None, None]


def test_an_in_place_write_leaves_no_cycle(without_gc):
    x = leaf(1.0, 2.0)
    base = x * 2
    view = base[:1]
    view.mul_(3)
    base.exp_()
    watched = [weakref.ref(base), weakref.ref(view)]
    base.sum().backward()
    del base, view
    assert [w() for w in watched] == [None, None]


def test_a_pass_that_is_recorded_leaves_no_cycle(without_gc):
    x = leaf(2.0)
    y = (x * x).exp()
    g, = torch.autograd.grad(y, x, create_graph=True)
    watched = [weakref.ref(g), weakref.ref(y)]
    del g, y
    assert [w() for w in watched] == [None, None]


# --- depth --------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("length", [10, 150_000])
def test_depth_is_no_matter(length):
    x = leaf(1.0)
    y = x
    for _ in range(length):
        y = y + 1
    y.backward()
    assert x.grad.tolist() == [1.0]
    del y       # dropping the chain must not recurse either


def test_a_pass_within_a_pass_two_thousand_deep():
    class Deep(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with torch.enable_grad():
                ctx.x = x.detach().requires_grad_() - 1
            return ctx.x.detach()

        @staticmethod
        def backward(ctx, grad):
            if ctx.x >= 0:
                with torch.enable_grad():
                    Deep.apply(ctx.x).sum().backward()
            return grad

    x = torch.tensor(2000.0, requires_grad=True)
    limit = sys.getrecursionlimit()
    Deep.apply(x).sum().backward()
    assert x.grad.item() == 1.0 and sys.getrecursionlimit() == limit


# --- threads ------------------------------------------------------------------------------------------------

def test_passes_from_several_threads_add_up():
    x = leaf(1.0, 2.0)
    graphs = [(x * x).sum() for _ in range(16)]
    threads = [threading.Thread(target=graph.backward) for graph in graphs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert x.grad.tolist() == [32.0, 64.0]


def test_modes_are_each_threads_own():
    seen = {}

    def look():
        seen["enabled"] = torch.is_grad_enabled()
        seen["recorded"] = (leaf(1.0) * 2).requires_grad

    with torch.no_grad():
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert seen == {"enabled": True, "recorded": True}


# --- asking the engine, under PyTorch's private names -------------------------------------------------------


# --- the warning --------------------------------------------------------------------------------------------

@pytest.mark.parametrize("line, often", [
    ("(x * x).sum().backward(create_graph=True)", 1),
    ("torch.autograd.backward([(x * x).sum(), x.sum()], create_graph=True)", 1),
    ("torch.autograd.grad((x * x).sum(), x, create_graph=True)", 0),
    ("(x * x).sum().backward(retain_graph=True)", 0)])
def test_a_recorded_pass_that_fills_drawers_warns_of_the_cycle_once(line, often):
    program = (f"import {torch.__name__} as torch\nx = torch.ones(2, requires_grad=True)\n"
               f"for _ in range(2):\n    {line}")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.count("Using backward() with create_graph=True will create a reference cycle") == often


def test_leaves_that_were_complete_before_an_error_at_a_retained_tensor_are_filled():
    first, second = leaf(1.0, 2.0), leaf(3.0, 4.0)
    square = first * first
    square.sum().backward()
    square.retain_grad()
    with pytest.raises(RuntimeError, match="second time"):
        (square + second).sum().backward()
    assert second.grad.tolist() == [1, 1]


@pytest.mark.parametrize("name", ["grad_fn", "is_leaf", "shape", "dtype", "_version"])
def test_what_the_engine_keeps_is_neither_set_nor_deleted(name):
    x = torch.tensor(1.0, requires_grad=True) * 2
    message = f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable"
    with pytest.raises(AttributeError, match=message):
        setattr(x, name, None)
    with pytest.raises(AttributeError, match=message):
        delattr(x, name)
