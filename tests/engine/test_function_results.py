"""Custom Functions: what becomes of what forward and backward return.

Every expectation here is PyTorch's: the file also passes with MINIGRAD_TEST_BACKEND=torch.
"""
from __future__ import annotations

import re
import weakref

import pytest

from tests.helpers.backend import first, leaf, raises, torch
from tests.helpers.backend import make_function as make

grad = torch.autograd.grad


# --- dirty --------------------------------------------------------------------------------------------------

def double_(ctx, x):
    ctx.mark_dirty(x)
    return x.mul_(2)


Double_ = make(double_, lambda ctx, g: g * 2, name="Double")


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
    def backward(ctx, *grads):
        seen.append([one if one is None else one.tolist() for one in grads])
        return grads[0]

    Two = make(forward, backward)
    for materialize in (True, False):      # noqa: B007   forward reads it
        Two.apply(leaf(1.0, 2.0))[0].sum().backward()
    assert seen == [[[1, 1], [0]], [[1, 1], None]]


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


def test_gradients_for_what_is_no_tensor():
    with raises(RuntimeError, "function MadeBackward returned a gradient different than None at position 2, "
                              "but the "
                "corresponding forward input was not a Variable"):
        make(lambda ctx, x, n: x * n, lambda ctx, g: (g, g)).apply(leaf(1.0), 3).backward()
    y = make(lambda ctx, x, c: x * c, lambda ctx, g: (g, torch.ones(7))).apply(leaf(1.0), torch.tensor(2.0))
    y.backward()                                    # nobody wants the second one, whatever its shape


def test_a_dirty_result_that_is_a_view_of_something_new():
    def forward(ctx, x):
        result = x.clone().view_as(x)
        ctx.mark_dirty(result)
        return result

    with raises(RuntimeError, "ctx.mark_dirty() received a tensor that was not an input."):
        make(forward, lambda ctx, g: g).apply(leaf(1.0))


def test_a_view_that_was_written_and_saved_leaves_no_cycle():
    def forward(ctx, x):
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    def scope():
        x = leaf(1.0).clone().view(1)
        make(forward, lambda ctx, g: g).apply(x)
        return weakref.ref(x)

    assert scope()() is None
