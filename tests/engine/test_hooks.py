"""Hooks on tensors, leaves and nodes, and hooks on what nodes save.

Every expectation here is PyTorch's: the file also passes with MINIGRAD_TEST_BACKEND=torch.
"""
from __future__ import annotations

import pytest

from tests.helpers.backend import leaf, raises, torch

graph = torch.autograd.graph
grad = torch.autograd.grad


# --- on tensors ---------------------------------------------------------------------------------------------

def test_order_and_removal():
    x, log = leaf(2.0), []
    handles = [x.register_hook(lambda grad, i=i: log.append(i)) for i in range(3)]
    (x * 2).backward()
    handles[1].remove()
    handles[1].remove()
    (x * 2).backward()
    with x.register_hook(lambda grad: log.append("inside")):
        (x * 2).backward()
    (x * 2).backward()
    assert log == [0, 1, 2, 0, 2, 0, 2, "inside", 0, 2]


def test_hooks_that_change_the_hooks():
    x, log = leaf(2.0), []

    def first(grad):
        log.append("first")
        handles[1].remove()
        x.register_hook(lambda grad: log.append("new"))

    handles = [x.register_hook(first), x.register_hook(lambda grad: log.append("second"))]
    (x * 2).backward()
    assert log == ["first", "second"]           # what was registered when the pass came by
    (x * 2).backward()
    assert log == ["first", "second", "first", "new"]


@pytest.mark.parametrize("returned, kind, message", [
    (lambda: 3, TypeError, "expected Variable, but hook returned 'int'"),
    (lambda: (torch.ones(2),), TypeError, "expected Variable, but hook returned 'tuple'"),
    (lambda: torch.ones(3), RuntimeError, "hook 'wrong' has changed the size of value"),
    (lambda: torch.ones(2, dtype=torch.float64), RuntimeError,
     "hook 'wrong' has changed the type of value (was torch.FloatTensor got torch.DoubleTensor)"),
])
def test_wrong_returns(returned, kind, message):
    def wrong(grad):
        return returned()

    x = leaf(1.0, 2.0)
    x.register_hook(wrong)
    with raises(kind, message):
        (x * 2).sum().backward()


def test_where_hooks_are_refused():
    with raises(RuntimeError, "cannot register a hook on a tensor that doesn't require gradient"):
        torch.tensor(1.0).register_hook(print)
    with raises(RuntimeError, "can't replace a None gradient with a non-None value"):
        a, b = leaf(1.0, 2.0).unbind(0)
        b.register_hook(lambda grad: torch.tensor(5.0))
        a.backward()


def test_hooks_stay_with_the_value_they_were_registered_on():
    x, log = leaf(2.0), []
    y = x * 2
    before = y.register_hook(lambda grad: log.append(("before", grad.item())))
    y.mul_(5)
    y.register_hook(lambda grad: log.append(("after", grad.item())))
    (y * 7).backward(retain_graph=True)
    assert log == [("after", 7), ("before", 35)]
    before.remove()


def test_hooks_in_grad_and_backward():
    x, log = leaf(2.0), []
    y = x * 2
    y.register_hook(lambda grad: log.append("y"))
    x.register_hook(lambda grad: log.append("x"))
    z = y * y
    for run in (lambda: grad(z, y, retain_graph=True), lambda: grad(z, x, retain_graph=True),
                lambda: z.backward(inputs=[y], retain_graph=True), lambda: z.backward(inputs=[x])):
        run()
        log.append("-")
    assert log == ["y", "-", "y", "x", "-", "y", "-", "y", "x", "-"]


def test_a_pass_inside_a_hook():
    x, log = leaf(2.0), []
    y = x * 2

    def hook(grad):
        log.append(x.grad)
        with torch.enable_grad():
            (x ** 2).backward()
        log.append(x.grad.item())

    y.register_hook(hook)
    y.backward()
    assert log == [None, 4] and x.grad.item() == 6


# --- kept gradients, and leaves -----------------------------------------------------------------------------

def test_retain_grad():
    x = leaf(2.0)
    y = x * 2
    y.retain_grad()
    y.retain_grad()
    y.register_hook(lambda grad: grad * 3)
    assert y.retains_grad and not x.retains_grad
    z = y * 1
    z.backward(retain_graph=True)
    z.backward(retain_graph=True)
    assert y.grad.item() == 6
    grad(z, y)
    assert y.grad.item() == 9               # also when the gradient is only asked for
    with raises(RuntimeError, "can't retain_grad on Tensor that has requires_grad=False"):
        torch.tensor(1.0).retain_grad()


def test_retain_grad_follows_writes():
    x = leaf(1.0, 2.0, 3.0)
    y = x * 2
    view = y[:2]
    y.retain_grad()
    view.retain_grad()
    view.mul_(3)
    y.sum().backward()
    assert y.grad.tolist() == [1, 1, 1] and view.grad is None


def test_after_accumulation_refusals():
    x = leaf(2.0)
    x.register_post_accumulate_grad_hook(lambda leaf: leaf.grad)
    with raises(RuntimeError, "Tensor post accumulate grad hooks should return None."):
        (x * 3).backward()
    y = leaf(2.0)
    y.register_post_accumulate_grad_hook(lambda leaf: 3)
    with raises(TypeError, "expected Variable, but hook returned 'int'"):
        (y * 3).backward()
    with raises(RuntimeError, "post accumulate grad hooks cannot be registered on non-leaf tensors"):
        (y * 3).register_post_accumulate_grad_hook(print)


# --- on nodes -----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("register", ["register_hook", "register_prehook"])
@pytest.mark.parametrize("returned, kind, message", [
    (3, TypeError, "expected tuple, but hook returned 'int'"),
    ((), RuntimeError, "has returned an incorrect number of values (got 0, but expected 1)"),
    ((3,), TypeError, "expected Variable, but hook returned 'int'"),
])
def test_node_hooks_that_return_the_wrong_thing(register, returned, kind, message):
    y = leaf(2.0).exp()
    getattr(y.grad_fn, register)(lambda *grads: returned)
    with raises(kind, message):
        y.backward()


def test_node_hooks_may_stop_a_gradient():
    x = leaf(2.0)
    y = x.exp()
    y.grad_fn.register_hook(lambda inputs, outputs: (None,))
    y.backward()
    assert x.grad is None


def test_nodes_can_be_called():
    node = leaf(2.0, 3.0).unbind(0)[0].grad_fn
    assert node(torch.tensor(1.0), None).tolist() == [1, 0]
    with raises(TypeError, "expected 2 arguments, got 1 instead"):
        node(torch.tensor(1.0))
    with raises(TypeError, "argument 1 is not a Variable"):
        node(torch.tensor(1.0), 3)
    assert [(tuple(one.shape), one.dtype) for one in node._input_metadata] == [((), torch.float32)] * 2


# --- edges and several tensors ------------------------------------------------------------------------------

def test_edges_stand_for_tensors():
    x = leaf(2.0, 3.0)
    y = x * 3
    z = (y * y).sum()
    edge = graph.get_gradient_edge(y)
    assert edge.node is y.grad_fn and edge.output_nr == 0
    assert grad(z, edge, retain_graph=True)[0].tolist() == [12, 18]
    assert grad(graph.get_gradient_edge(z), x, retain_graph=True)[0].tolist() == [36, 54]
    torch.autograd.backward(z, inputs=[graph.get_gradient_edge(x)])
    assert x.grad.tolist() == [36, 54]
    with raises(RuntimeError, "all inputs have to be Tensors or GradientEdges, but got int"):
        grad(x.sum(), [3])
    with raises(RuntimeError, "It is not possible to get the gradient edge for a Tensor that does not "
                              "require gradients"):
        graph.get_gradient_edge(torch.tensor(1.0))


def test_hooks_on_several_tensors():
    a, b, c = leaf(1.0), leaf(2.0), leaf(3.0)
    every, some = [], []
    handle = graph.register_multi_grad_hook(
        (a, b, c), lambda grads: every.append([None if g is None else g.item() for g in grads]))
    graph.register_multi_grad_hook((a, b, c), lambda grad: some.append(grad.item()), mode="any")
    (a * b).backward()
    (a * b * c).backward()
    handle.remove()
    (a * b).backward()
    assert every == [[2, 1, None], [6, 3, 2]] and len(some) == 3
    with raises(ValueError, "Expects mode to be one of ('all', 'any') but got most"):
        graph.register_multi_grad_hook((a,), print, mode="most")


def test_increment_version():
    x = leaf(1.0)
    graph.increment_version(x)
    graph.increment_version([x, x])
    assert x._version == 3
    with raises(RuntimeError, "increment_version expects each element of the iterable to be a tensor"):
        graph.increment_version([3])


# --- on what nodes save -------------------------------------------------------------------------------------

def test_what_pack_gets():
    x, seen = leaf(1.0, 2.0), []

    def pack(tensor):
        seen.append((tensor is x, tensor.requires_grad, tensor.grad_fn is not None, torch.is_grad_enabled()))
        return tensor

    with graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        x.sin()
        x.exp()
    assert seen == [(True, True, False, False), (False, True, True, False)]


def test_saved_tensors_hooks_refusals():
    x = leaf(1.0)
    with raises(RuntimeError, "A saved tensor pack hook is modifying its input in place."):
        with graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
            (x * 1).sin()
    with graph.saved_tensors_hooks(lambda t: t, lambda t: "text"):
        y = x.exp()
    with raises(TypeError, "Output of saved tensor unpack_hook expected to be a Tensor but got result of "
                           "type str"):
        y.backward()
    with raises(RuntimeError, "not here"):
        with graph.disable_saved_tensors_hooks("not here"), graph.save_on_cpu():
            pass


def test_hooks_on_one_saved_tensor():
    x = leaf(2.0)
    y = x.exp()
    raw = y.grad_fn._raw_saved_result
    raw.register_hooks(lambda t: t.item(), lambda number: torch.tensor(10.0))
    with raises(RuntimeError, "Calling register_hooks on a saved tensor whose hooks have already been set."):
        raw.register_hooks(lambda t: t, lambda t: t)
    y.backward()
    assert x.grad.item() == 10
    with raises(RuntimeError, "Calling register_hooks on a saved tensor after it has been freed."):
        raw.register_hooks(lambda t: t, lambda t: t)


@pytest.mark.parametrize("pin_memory, slope", [(False, 12), (True, 8)])     # PyTorch 2.13
def test_save_on_cpu_copies_only_into_pinned_memory(pin_memory, slope):
    x = leaf(1.0)
    with graph.save_on_cpu(pin_memory):
        y = x * 2
        z = y * y
    y.add_(1)       # no error: the versions of what a hook returned are not compared
    z.backward()
    assert x.grad.item() == slope


# --- what random programs found -----------------------------------------------------------------------------

def test_node_hooks_see_gradients_as_they_are_delivered():
    row, seen = torch.ones(1, 3, requires_grad=True), []
    product = row * torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
    product.grad_fn.register_hook(lambda inputs, outputs: seen.extend([(g.shape, g.dtype) for g in inputs]))
    product.sum().backward()
    assert seen == [((1, 3), torch.float32), ((2, 3), torch.float64)]


def test_detaching_in_place_keeps_the_flag_of_retain_grad():
    y = leaf(1.0, 2.0) * 2
    y.retain_grad()
    y.detach_()
    assert y.retains_grad and not y.requires_grad


def test_leaf_hooks_run_where_nothing_was_added():
    x, log = leaf(1.0, 2.0), []
    x.register_post_accumulate_grad_hook(lambda leaf: log.append(leaf.grad))
    y = x * 2
    x.requires_grad_(False)
    y.sum().backward()
    assert log == [None]


def test_a_gradient_that_does_not_fit_leaves_what_was_saved():
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            x, = ctx.saved_tensors
            return torch.ones(5)

    y = Wrong.apply(leaf(1.0, 2.0)).sum()
    for _ in range(2):
        with raises(RuntimeError, "Function WrongBackward returned an invalid gradient at index 0 - got [5] "
                                  "but expected shape compatible with [2]"):
            y.backward()
