"""Custom Functions: what ctx keeps, what becomes of results, and what is refused.

Every expectation here is PyTorch's: the file also passes with MINIGRAD_TEST_BACKEND=torch.
"""
from __future__ import annotations

import gc
import importlib
import os
import re
import weakref

import pytest

torch = importlib.import_module(os.environ.get("MINIGRAD_TEST_BACKEND", "minigrad"))
Function = torch.autograd.Function
grad = torch.autograd.grad


def leaf(*values):
    return torch.tensor(list(values) if len(values) > 1 else values[0], requires_grad=True)


def make(forward, backward=None, name="Made", **attributes):
    """A Function with these static methods."""
    methods = {"forward": forward, **({"backward": backward} if backward else {}), **attributes}
    return type(Function)(name, (Function,), {key: staticmethod(value) if callable(value) else value
                                              for key, value in methods.items()})


def first(ctx, *grads):
    return grads[0]


def raises(kind, message):
    return pytest.raises(kind, match=re.escape(message))


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
    assert [node and node.name() for node,
            _ in y.grad_fn.next_functions] == ["torch::autograd::AccumulateGrad", None]
    assert y.grad_fn.needs_input_grad == (False, True, False, False)


def test_a_custom_node_is_not_called_but_applied():
    y = Cube.apply(leaf(2.0))
    with raises(TypeError, "'CubeBackward' object is not callable"):
        y.grad_fn(torch.tensor(1.0))
    assert y.grad_fn.apply(torch.tensor(1.0)).item() == 12


def test_modes_inside():
    modes = []
    Look = make(lambda ctx, x: (modes.append(torch.is_grad_enabled()), x * 1)[1],
                lambda ctx, g: (modes.append(torch.is_grad_enabled()), g)[1])
    x = leaf(1.0)
    Look.apply(x).backward()
    grad(Look.apply(x), x, create_graph=True)
    assert modes == [False, False, False, True]


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


def test_saved_tensors_are_freed():
    y = Cube.apply(leaf(2.0))
    y.backward(retain_graph=True)
    assert y.grad_fn.saved_tensors[0].item() == 2
    y.backward()
    with raises(RuntimeError, "Trying to backward through the graph a second time (or directly access saved "
                              "tensors"):
        y.grad_fn.saved_tensors
    with raises(RuntimeError, "Trying to backward through the graph a second time"):
        y.backward()
    z = make(lambda ctx, x: x * 1, first).apply(leaf(1.0))
    z.backward()
    z.backward()                                    # nothing was saved: nothing is missed


def test_saved_tensors_are_watched():
    x = leaf(2.0)
    y = x * 1
    z = Cube.apply(y)
    y.add_(1)
    with raises(RuntimeError, "[torch.FloatTensor []], which is output 0 of Add, is at version 1; expected "
                              "version 0 "
                "instead."):
        z.backward()


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


def test_saved_tensors_only_once():
    class Once(Cube):
        clear_saved_tensors_on_access = True

    y = Once.apply(leaf(2.0))
    assert y.grad_fn.saved_tensors[0].item() == 2
    with raises(RuntimeError, "saved_tensors can only be accessed once when "
                              "clear_saved_tensors_on_access=True"):
        y.grad_fn.saved_tensors


# --- dirty --------------------------------------------------------------------------------------------------

def double_(ctx, x):
    ctx.mark_dirty(x)
    return x.mul_(2)


Double_ = make(double_, lambda ctx, g: g * 2, name="Double")


def test_dirty_inputs_continue_their_history():
    x = leaf(1.0, 2.0)
    y = x * 1
    z = Double_.apply(y)
    assert z is y and y.grad_fn.name() == "DoubleBackward" and y._version == 2      # the write, and the mark
    assert grad(y.sum(), x)[0].tolist() == [2, 2]


def test_a_dirty_view_changes_its_base():
    x = leaf(1.0, 2.0, 3.0)
    y = x * 1
    Double_.apply(y[:2])
    assert y.grad_fn.name() == "torch::autograd::CopySlices" and y.tolist() == [2, 4, 3]
    assert grad(y.sum(), x)[0].tolist() == [2, 2, 1]


def test_dirty_refusals():
    x = leaf(1.0, 2.0)
    with raises(RuntimeError, "a leaf Variable that requires grad has been used in an in-place operation."):
        Double_.apply(x)
    with raises(RuntimeError, "a view of a leaf Variable that requires grad is being used in an in-place "
                              "operation."):
        Double_.apply(x[:1])
    with raises(RuntimeError, "Some elements marked as dirty during the forward method were not returned as "
                              "output. "
                "The inputs that are modified inplace must all be outputs of the Function."):
        make(lambda ctx, x: (ctx.mark_dirty(x), x * 1)[1], first).apply(x * 1)
    with raises(RuntimeError, "mark_dirty can only accept variables, but argument"):
        make(lambda ctx, x: (ctx.mark_dirty(3), x * 1)[1], first).apply(x * 1)
    with raises(RuntimeError, "If your Function modifies inplace an input that is a view of another Tensor, "
                              "your "
                "Function cannot return more than one Tensor."):
        make(lambda ctx, x: (ctx.mark_dirty(x), (x.mul_(2), x.clone()))[1], first).apply((x * 1)[:1])
    with pytest.warns(UserWarning, match=re.escape("ctx.mark_dirty() received a tensor that was not an "
                                                   "input.")):
        make(lambda ctx, x: (lambda y: (ctx.mark_dirty(y), y)[1])(x * 2), first).apply(x * 1)


# --- results ------------------------------------------------------------------------------------------------

def test_non_differentiable_results():
    def forward(ctx, x):
        which = x.argmax().float()
        ctx.mark_non_differentiable(which)
        return x * 2, which

    seen = []
    x = leaf(1.0, 2.0)
    y, which = make(forward, lambda ctx, *g: (seen.append([one.tolist() for one in g]), g[0] * 2)[1]).apply(x)
    assert not which.requires_grad and which.grad_fn is None
    y.sum().backward()
    assert seen == [[[1, 1], 0]]
    only = make(lambda ctx, x: (ctx.mark_non_differentiable(x), x)[1], first).apply(x)
    assert not only.requires_grad and only is not x


def test_integer_results_take_no_gradient():
    y, which = make(lambda ctx, x: (x * 2, x.argmax()), first).apply(leaf(1.0, 2.0))
    assert y.requires_grad and not which.requires_grad


def test_other_results_pass_through():
    seen = []
    Mixed = make(lambda ctx, x: (x * 2, "text", None), lambda ctx, *g: (seen.append(g[1:]), g[0])[1])
    y, text, nothing = Mixed.apply(leaf(1.0))
    y.backward()
    assert (text, nothing, seen) == ("text", None, [(None, None)])
    listed, = make(lambda ctx, x: [x * 2], first).apply(leaf(1.0))
    assert not listed.requires_grad                 # a list is no tuple of results


def test_undefined_gradients_are_zeros_or_none():
    def forward(ctx, x):
        ctx.set_materialize_grads(materialize)
        return x * 1, x[:1] * 2

    seen = []
    Two = make(forward, lambda ctx,
               *g: (seen.append([one if one is None else one.tolist() for one in g]), g[0])[1])
    for materialize in (True, False):
        Two.apply(leaf(1.0, 2.0))[0].sum().backward()
    assert seen == [[[1, 1], [0]], [[1, 1], None]]
    with raises(TypeError, "set_materialize_grads received an invalid combination of arguments - got (), but "
                           "expected "
                "(bool)"):
        make(lambda ctx, x: ctx.set_materialize_grads(3)).apply(leaf(1.0))


def test_an_input_returned_is_an_alias():
    Same = make(lambda ctx, x: x, lambda ctx, g: g * 2, name="Same")
    x = leaf(1.0, 2.0)
    y = Same.apply(x)
    assert y is not x and y._base is x and y.grad_fn.name() == "SameBackward"
    assert grad(y.sum(), x)[0].tolist() == [2, 2]
    with raises(RuntimeError, "Output 0 of Same is a view and is being modified inplace. This view was "
                              "created inside a "
                "custom Function (or because an input was returned as-is)"):
        Same.apply(x * 1).add_(1)


def test_views_from_inside_refuse_writes():
    x = leaf(1.0, 2.0)
    y = make(lambda ctx, x: x[:1], lambda ctx, g: torch.cat([g, g])).apply(x * 1)
    with raises(RuntimeError, "You can fix this by cloning the output of the custom Function."):
        y.add_(1)
    a, b = make(lambda ctx, x: (x[:1], x[1:]), first).apply(x * 1)
    with raises(RuntimeError, "This view is the output of a function that returns multiple views."):
        a.add_(1)


def test_tensors_from_outside_are_taken_over():
    outside = torch.zeros(2)
    y = make(lambda ctx, x: outside, first, name="Out").apply(leaf(1.0, 2.0))
    assert y is outside and y.grad_fn.name() == "OutBackward"
    z = make(lambda ctx, x: (lambda y: (y, y))(x * 2), lambda ctx, g, h: g + h).apply(leaf(1.0))
    assert z[0] is z[1] and z[0].output_nr == 1


# --- what backward returns ----------------------------------------------------------------------------------

@pytest.mark.parametrize("returned, message", [
    (lambda: (torch.ones(3), torch.ones(3)),
     "function WrongBackward returned an incorrect number of gradients (expected 1, got 2)"),
    (lambda: (), "function WrongBackward returned an incorrect number of gradients (expected 1, got 0)"),
    (lambda: 3.0, "expected Variable or None (got float)"),
    (lambda: [torch.ones(3)], "expected Variable or None (got list)"),
    (lambda: torch.ones(2), "Function WrongBackward returned an invalid gradient at index 0 - got [2] but "
                            "expected shape compatible with [3]"),
    (lambda: torch.ones(1), "got [1] but expected shape compatible with [3]"),
])
def test_wrong_gradients(returned, message):
    with raises(RuntimeError, message):
        make(lambda ctx, x: x * 1, lambda ctx, g: returned(),
             name="Wrong").apply(leaf(1.0, 2.0, 3.0)).sum().backward()


def test_gradients_that_are_put_right():
    x = leaf(1.0, 2.0, 3.0)
    for returned, expected in ((torch.ones(2, 3), [2, 2, 2]), (torch.ones(3, dtype=torch.int64), [1, 1, 1]),
                               ((torch.ones(3, dtype=torch.float64), None, None), [1, 1, 1])):
        g, = grad(make(lambda ctx, x: x * 1, lambda ctx, g: returned).apply(x).sum(), x)
        assert g.tolist() == expected and g.dtype == torch.float32


def test_gradients_for_what_is_no_tensor():
    with raises(RuntimeError, "function MadeBackward returned a gradient different than None at position 2, "
                              "but the "
                "corresponding forward input was not a Variable"):
        make(lambda ctx, x, n: x * n, lambda ctx, g: (g, g)).apply(leaf(1.0), 3).backward()
    y = make(lambda ctx, x, c: x * c, lambda ctx, g: (g, torch.ones(7))).apply(leaf(1.0), torch.tensor(2.0))
    y.backward()                                    # nobody wants the second one, whatever its shape


def test_one_list_of_gradients():
    Boxed = make(lambda ctx, x: x * 1, lambda ctx, grads: grads.pop() * 5, boxed_grads_call=True)
    assert grad(Boxed.apply(x := leaf(1.0)), x)[0].item() == 5


# --- derivatives of backward --------------------------------------------------------------------------------

def test_backward_can_be_differentiated():
    x = leaf(2.0)
    g, = grad(Cube.apply(x), x, create_graph=True)
    gg, = grad(g, x, create_graph=True)
    ggg, = grad(gg, x)
    assert (g.item(), gg.item(), ggg.item()) == (12, 12, 6)


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


def test_functions_inside_functions():
    def forward(ctx, x):
        with torch.enable_grad():
            ctx.x = x.detach().requires_grad_()
            ctx.y = Cube.apply(ctx.x)
        return ctx.y.detach()

    def backward(ctx, g):
        with torch.enable_grad():
            ctx.y.backward(g)
        return ctx.x.grad

    assert grad(make(forward, backward).apply(x := leaf(2.0)), x)[0].item() == 12


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


def test_keyword_arguments_take_their_places():
    Scale = make(lambda ctx, x, y=2.0, z=1.0: x * y * z, lambda ctx, g: (g, None), name="Scale")
    x = leaf(2.0)
    assert grad(Scale.apply(x, y=5.0), x)[0].item() == 1
    with raises(TypeError, "forward() got an unexpected keyword argument 'q'"):
        Scale.apply(x, q=1)
    with raises(TypeError, "forward() got multiple values for argument 'x'"):
        Scale.apply(x, x=x)
    with raises(TypeError, "forward() missing required argument: 'y' (position 1)"):
        Scale.apply(x, z=1.0)


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


def test_instances_are_of_no_use():
    with pytest.warns(DeprecationWarning, match="should not be instantiated. Methods on autograd functions "
                                                "are all"):
        instance = Cube()
    with raises(RuntimeError, "Legacy autograd function with non-static forward method is deprecated."):
        instance(leaf(1.0))


def test_subclasses_have_nodes_of_their_own():
    class Sub(Cube):
        @staticmethod
        def backward(ctx, g):
            return g * 100

    y = Sub.apply(x := leaf(2.0))
    assert y.grad_fn.name() == "SubBackward" and grad(y, x)[0].item() == 100
