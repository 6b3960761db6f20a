"""Custom Functions: the node, what it keeps, how Functions are defined, called and differentiated.

Every expectation here is PyTorch's: the file also passes with MINIGRAD_TEST_BACKEND=torch.
"""
from __future__ import annotations

import gc
import weakref

import pytest

from tests.helpers.backend import Function, first, leaf, raises, torch
from tests.helpers.backend import make_function as make

grad = torch.autograd.grad


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return 3 * x ** 2 * grad


# --- the node -----------------------------------------------------------------------------------------------

def test_ctx_is_the_node():
    seen = []
    Keep = make(lambda ctx, x: (seen.append(ctx), setattr(ctx, "note", "kept"), x * 2)[2], first, name="Keep")
    x = leaf(1.0, 2.0)
    y = Keep.apply(x)
    assert y.grad_fn is seen[0] and y.grad_fn.note == "kept"
    assert y.grad_fn.name() == type(y.grad_fn).__name__ == "KeepBackward"
    assert repr(y.grad_fn).startswith("<torch.autograd.function.KeepBackward object at 0x")
    assert repr(y).endswith("grad_fn=<KeepBackward>)")
    assert isinstance(y.grad_fn, torch.autograd.graph.Node)
    assert Keep._backward_cls is type(y.grad_fn) and Keep._backward_cls._forward_cls is Keep
    assert y.grad_fn.next_functions[0][0].variable is x


def test_next_functions_count_the_tensors_only():
    Pick = make(lambda ctx, n, x, flag, y: x * n + y, lambda ctx, g: (None, g, None, g))
    y = Pick.apply(3, leaf(1.0), "flag", torch.tensor(1.0))
    names = [node and node.name() for node, _ in y.grad_fn.next_functions]
    assert names == ["torch::autograd::AccumulateGrad", None]
    assert y.grad_fn.needs_input_grad == (False, True, False, False)


def test_nothing_is_recorded_without_need():
    assert Cube.apply(torch.tensor(2.0)).grad_fn is None
    with torch.no_grad():
        assert not Cube.apply(leaf(2.0)).requires_grad


def test_the_graph_dies_by_reference_count():
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    gc.collect()
    gc.disable()
    y = make(forward, first).apply(leaf(1.0))
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None
    gc.enable()


# --- saving -------------------------------------------------------------------------------------------------

def test_what_was_saved_last_counts_and_none_may_be_saved():
    def forward(ctx, x):
        ctx.save_for_backward(x * 2)
        assert ctx.saved_tensors == ()              # until forward has returned
        ctx.save_for_backward(None, x)
        return x * 1

    x = leaf(2.0)
    nothing, kept = make(forward, first).apply(x).grad_fn.saved_tensors
    assert nothing is None and kept is x


def test_only_tensors_can_be_saved():
    Bad = make(lambda ctx, x: (ctx.save_for_backward(x, 3.0), x * 1)[1], first)
    with raises(TypeError, "save_for_backward can only save variables, but argument 1 is of type float"):
        Bad.apply(leaf(1.0))
    Bad.apply(torch.tensor(1.0))                    # nothing is recorded, nothing is saved


def test_a_saved_result_comes_back_with_its_history():
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    Exp = make(forward, lambda ctx, g: g * ctx.saved_tensors[0], name="Exp")
    x = leaf(2.0)
    y = Exp.apply(x)
    saved, = y.grad_fn.saved_tensors
    assert saved is not y and saved.grad_fn is y.grad_fn
    g, = grad(y, x, create_graph=True)
    gg, = grad(g, x)
    assert y.item() == g.item() == gg.item()


# --- derivatives of backward --------------------------------------------------------------------------------

def test_once_differentiable():
    once = torch.autograd.function.once_differentiable
    Once = make(lambda ctx, x: x * 3, once(lambda ctx, g: g * 3), name="Once")
    x, start = leaf(2.0), leaf(1.0)
    g, = grad(Once.apply(x), x, create_graph=True)
    assert not g.requires_grad                      # 3 does not depend on anything
    g, = grad(Once.apply(x), x, start, create_graph=True)
    assert g.grad_fn.name() == "torch::autograd::Error"
    with raises(RuntimeError, "trying to differentiate twice a function that was marked with "
                              "@once_differentiable"):
        g.backward()


# --- definitions and calls ----------------------------------------------------------------------------------

def test_setup_context():
    class Scale(Function):
        @staticmethod
        def forward(x, factor=2.0):
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.factor, ctx.result = inputs[1], output

        @staticmethod
        def backward(ctx, g):
            return g * ctx.factor, None

    x = leaf(2.0)
    for y, factor in ((Scale.apply(x), 2), (Scale.apply(x, factor=5.0), 5),
                      (Scale.apply(factor=5.0, x=x), 5)):
        assert y.grad_fn.result is y and grad(y, x)[0].item() == factor
    with raises(TypeError, "missing a required argument: 'x'"):
        Scale.apply()


def test_an_input_returned_and_saved_in_setup_context():
    class Same(Function):
        @staticmethod
        def forward(x):
            return x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(output)

    with raises(RuntimeError, "An input that has been returned as-is as output is being saved for backward."):
        Same.apply(leaf(1.0))


def test_definitions_that_lack_something():
    with raises(NotImplementedError, "You must implement the forward function for custom autograd.Function."):
        type(Function)("Empty", (Function,), {}).apply(leaf(1.0))
    with raises(NotImplementedError, "You must implement either the backward or vjp method for your custom "
                "autograd.Function to use it with backward mode AD."):
        make(lambda ctx, x: x * 2).apply(leaf(1.0)).backward()
    with raises(RuntimeError, "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. "
                              "You should "
                "only implement one of them."):
        make(lambda ctx, x: x * 2, first, vjp=first).apply(leaf(1.0)).backward()
    assert grad(make(lambda ctx, x: x * 2, vjp=lambda ctx, g: g * 5).apply(x := leaf(1.0)), x)[0].item() == 5


@pytest.mark.filterwarnings("ignore:.*should not be instantiated")
def test_instances_are_of_no_use():
    with raises(RuntimeError, "Legacy autograd function with non-static forward method is deprecated."):
        Cube()(leaf(1.0))


def test_nodes_count_as_instances_of_an_abstract_class():
    Node = torch.autograd.graph.Node
    y = leaf(1.0).exp()
    for node in (y.grad_fn, y.grad_fn.next_functions[0][0], Cube.apply(leaf(1.0)).grad_fn):
        assert isinstance(node, Node) and issubclass(type(node), Node)
    assert not isinstance(3, Node)
