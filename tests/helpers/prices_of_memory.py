"""Rows for the prices that are a longer graph, or values that a graph keeps in memory."""
from __future__ import annotations

import gc
import weakref

import pytest

from minigrad.book.classroom.graph_size import count_nodes, nodes_behind, saved_bytes
from minigrad.viz import draw
from tests.helpers.explained_programs import checkpoint_of
from tests.helpers.prices import is_second, leaf, message, price, shared


class Held:
    """What a pack hook keeps for a saved tensor: a weak reference tells when the graph frees it."""

    def __init__(self, tensor):
        """Keep the tensor."""
        self.tensor = tensor


def held(torch, forward):
    """Run a forward pass and return its result, and a weak reference to each value that its graph saved."""
    references = []

    def pack(tensor):
        one = Held(tensor.detach())  # an output that a hook kept would keep its own node
        references.append(weakref.ref(one))
        return one
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda one: one.tensor):
        result = forward()
    return result, references


def alive(references):
    """Return how many of the saved values are still in memory."""
    gc.collect()
    return sum(reference() is not None for reference in references)


def kept_until_freed(torch, forward):
    """Return a scalar result after showing that its pass, and nothing before, frees what the graph saved."""
    result, saved = held(torch, forward)
    assert saved and alive(saved) == len(saved)
    result.backward()
    assert alive(saved) == 0
    return result


@price("everything that the graph saved stays in memory as long as the graph does",
       "everything that the graph saved stays in memory as long as the graph does; "
       "`draw(y, show='memory')` before that pass shows how much")
def a_retained_graph_keeps_what_it_saved(torch):
    """Retain a graph: its values outlive the pass, and not the graph. The picture tells the bytes."""
    x = leaf(torch)
    kept_until_freed(torch, lambda: (x * x).exp().sum())
    loss, saved = held(torch, lambda: (x * x).exp().sum())
    loss.backward(retain_graph=True)
    assert len(saved) == alive(saved) == 3
    del loss
    assert alive(saved) == 0
    loss = (x * x).exp().sum()
    size = saved_bytes(loss)
    assert size == 16 and f"Saved values hold {size} bytes" in draw(loss, show="memory").text


@price("its saved tensors stay in memory until the pass")
def without_a_checkpoint_saved_tensors_stay(torch):
    """Call a function with and without a checkpoint, which holds nothing but the input of the function."""
    x = leaf(torch)
    _, saved = held(torch, lambda: x.exp().sin().sum())
    assert len(saved) == 2
    kept_until_freed(torch, lambda: x.exp().sin().sum())
    with_one, saved = held(torch, lambda: checkpoint_of(torch)(
        lambda x: x.exp().sin().sum(), x, use_reentrant=False))
    assert len(saved) == alive(saved) == 1
    assert with_one.requires_grad


@price("its gradient stays in memory")
def a_retained_gradient_stays(torch):
    """Retain the gradient of a result, and not that of another."""
    x = leaf(torch)
    y = x * 2
    z = y * 3
    y.retain_grad()
    z.sum().backward()
    assert y.grad.nbytes == y.nbytes and y.grad.tolist() == [3, 3]
    assert not z.is_leaf and not z.retains_grad


@price("what the operations save stays in memory until the pass",
       "what the operations save stays in memory until then",
       "the operations keep what they save in memory until the pass",
       "what its operations save stays in memory until the pass")
def recorded_operations_save_until_the_pass(torch):
    """Compute the same with and without recording: only recorded operations save, and the pass frees it."""
    x, c = leaf(torch), torch.tensor([1.0, 2.0])
    kept_until_freed(torch, lambda: (x * x).exp().sum())
    for forward in (lambda: (c * c).exp().sum(), lambda: (x.detach() * x.data).exp().sum()):
        assert held(torch, forward)[1] == []
    with torch.no_grad():
        assert held(torch, lambda: (x * x).exp().sum())[1] == []
    other = leaf(torch)
    constant, required = held(torch, lambda: (x * c).sum())[1], held(torch, lambda: (x * other).sum())[1]
    assert len(required) == 2 > len(constant)


@price("the backward pass is recorded, and its graph stays in memory until a pass frees it")
def a_recorded_backward_keeps_a_graph(torch):
    """Compute a gradient with and without create_graph=True, and run a pass through the recorded one."""
    x = leaf(torch)
    plain, = torch.autograd.grad((x ** 3).sum(), x)
    assert plain.grad_fn is None and held(torch, lambda: torch.autograd.grad((x ** 3).sum(), x))[1]
    loss = (x ** 3).sum()
    slope, saved = held(torch, lambda: torch.autograd.grad(loss, x, create_graph=True)[0])
    assert count_nodes(slope) > count_nodes(loss) and alive(saved) == len(saved) > 0
    slope.sum().backward()
    assert x.grad.tolist() == [6, 12] and alive(saved) == 0


@price("the backward pass is recorded under create_graph=True")
def a_function_of_tensor_operations_is_recorded(torch):
    """Differentiate a Function twice, with and without the mark @once_differentiable."""
    def slope(mark, **options):
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            @mark
            def backward(ctx, grad):
                return 2 * ctx.saved_tensors[0] * grad
        x = leaf(torch)
        return torch.autograd.grad(Square.apply(x).sum(), x, **options)[0]
    once = torch.autograd.function.once_differentiable
    assert slope(lambda backward: backward).grad_fn is None
    recorded = slope(lambda backward: backward, create_graph=True)
    assert saved_bytes(recorded) > 0 and message(recorded.sum().backward) == ""
    assert "does not require grad" in message(slope(once, create_graph=True).sum().backward)


@price("one step for all rounds, whose graphs stay in memory until then",
       "you get only the gradient of the sum, and the graphs of all the results stay in memory until then")
def a_sum_of_results_keeps_all_graphs(torch):
    """Add results up, for one pass: their saved values add up until it, and so do their gradients."""
    def rounds(count):
        w, total = leaf(torch), 0
        optimizer = torch.optim.SGD([w], lr=0.1)
        for _ in range(count):
            total = total + (w * w).exp().sum()
        return w, optimizer, total
    (_, _, one), (w, optimizer, three) = rounds(1), rounds(3)
    assert saved_bytes(three) - saved_bytes(one) == 2 * 8  # w itself is saved once
    before = w.tolist()
    three.backward()
    optimizer.step()
    assert saved_bytes(three) == 0
    apart = leaf(torch)
    single, = torch.autograd.grad((apart * apart).exp().sum(), apart)
    assert w.grad.tolist() == (3 * single).tolist()
    assert w.tolist() == pytest.approx((torch.tensor(before) - 0.1 * w.grad).tolist())  # one step


@price("up to two more recorded operations, and a mask in memory")
def a_safe_input_costs_a_mask(torch):
    """Compare sqrt alone, sqrt in a branch, and sqrt of a safe input."""
    x = leaf(torch, 0.0, 4.0)
    ok = x > 0
    alone, branch = x.sqrt(), torch.where(ok, x.sqrt(), 0.0)
    safe = torch.where(ok, torch.where(ok, x, 1.0).sqrt(), 0.0)
    assert [count_nodes(safe) - count_nodes(one) for one in (alone, branch)] == [2, 1]
    assert saved_bytes(safe) - saved_bytes(alone) == ok.nbytes
    safe.sum().backward()
    assert x.grad.tolist() == [0, 0.25]


@price("views of the tensor and writes to it are tracked")
def no_grad_tracks_what_inference_mode_does_not(torch):
    """Take a view and write, in both modes: only no_grad keeps the base and counts the write."""
    def written():
        tensor = torch.ones(2)
        view = tensor[:1]
        tensor += 1
        return tensor, view
    with torch.no_grad():
        tensor, view = written()
    assert view._base is tensor and tensor._version == 1
    with torch.inference_mode():
        tensor, view = written()
    assert view._base is None and "do not track version" in message(lambda: tensor._version)


@price("one recorded view for each")
def an_index_records_a_view(torch):
    """Take the rows by index: one node for each."""
    t = leaf(torch) * 2
    names = [node.name() for node in nodes_behind(t[0], t[1])]
    assert len(names) - count_nodes(t) == names.count("SelectBackward0") == 2


@price("a second tensor as large as t, and the new parts until they are joined")
def joined_parts_are_a_second_tensor(torch):
    """Compute new rows, and join them: neither they nor the result share memory with the old tensor."""
    t = torch.ones(2, 3)
    parts = [row + 1 for row in t]
    joined = torch.stack(parts)
    assert joined.nbytes == t.nbytes == sum(part.nbytes for part in parts)
    assert not any(shared(*pair) for pair in [(joined, t), (parts[0], t), (joined, parts[0])])


@price("a second tensor as large as t; one recorded view and two recorded writes for each")
def an_index_and_a_write_record_three_nodes(torch):
    """Write to a copy by index: Python stores the result of the write in the row, which is a write, too."""
    base = leaf(torch) * 2
    t = base.clone()
    assert t.nbytes == base.nbytes and not shared(t, base)
    before = count_nodes(t)
    for i in range(2):
        t[i] += 1
    names = [node.name() for node in nodes_behind(t)]
    assert [names.count(name) for name in ("AsStridedBackward0", "torch::autograd::CopySlices")] == [2, 4]
    assert len(names) == before + 6


@price("one more recorded operation, which copies no numbers")
def views_that_are_taken_again_share(torch):
    """Take the views again after a write to their base."""
    w = leaf(torch)
    first, _ = w
    with torch.no_grad():
        w -= 0.1
    again, _ = w
    assert again.grad_fn is not None and shared(again, w) and again.grad_fn.name() == "UnbindBackward0"
    assert not is_second(again, w) and "is a view" in message(lambda: first + 1)
