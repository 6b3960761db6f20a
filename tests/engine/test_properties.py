"""Laws that hold for all shapes and dtypes, tried on shapes that hypothesis makes up.

Shapes include those without dimensions, without elements, with sizes of 1 that broadcast; inputs include
transposed and stepped ones.
"""
from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import minigrad as torch

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
PAIRS = hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, min_side=0, max_side=4)
DTYPES = st.sampled_from([torch.float16, torch.float32, torch.float64])
quick = settings(max_examples=80, deadline=None, derandomize=True)


def numbers(shape, dtype=torch.float64, phase=0.0):
    values = [math.sin(1 + phase + 3 * i) for i in range(math.prod(shape))]
    return torch.tensor(values, dtype=dtype).reshape(shape)


@st.composite
def tensors(draw, dtype=torch.float64):
    """A leaf, sometimes transposed or stepped before it became one."""
    x = numbers(draw(SHAPES), dtype)
    if x.dim() > 1 and draw(st.booleans()):
        x = x.transpose(0, -1)
    if x.dim() and draw(st.booleans()):
        x = x[::2]
    return x.detach().requires_grad_()


@quick
@given(tensors())
def test_the_gradient_of_a_sum_is_one_everywhere(x):
    x.sum().backward()
    assert x.grad.shape == x.shape and bool((x.grad == 1).all())


@quick
@given(PAIRS, DTYPES, DTYPES)
def test_gradients_have_the_shape_and_dtype_of_what_they_belong_to(shapes, one, other):
    a, b = (numbers(s, d).requires_grad_() for s, d in zip(shapes.input_shapes, (one, other)))
    for result in (a + b, a - b, a * b, a / (b * b + 1), torch.maximum(a, b)):
        assert tuple(result.shape) == shapes.result_shape
        assert result.dtype == torch.promote_types(one, other) or 0 in (a.dim(), b.dim())
        for x, g in zip((a, b), torch.autograd.grad(result.sum(), (a, b))):
            assert g.shape == x.shape and g.dtype == x.dtype


@quick
@given(PAIRS)
def test_a_product_is_bilinear(shapes):
    a, b = (numbers(s).requires_grad_() for s in shapes.input_shapes)
    product = a * b
    v = numbers(tuple(product.shape), phase=0.5)
    to_a, to_b = torch.autograd.grad(product, (a, b), v)
    total = (product.detach() * v).sum()
    assert torch.allclose((to_a * a.detach()).sum(), total)
    assert torch.allclose((to_b * b.detach()).sum(), total)


@quick
@given(tensors(), st.data())
def test_a_view_and_its_gradient_move_the_same_numbers(x, data):
    """For any rearrangement P: <v, P x> = <P^T v, x>."""
    views = {"flip": lambda t: t.flip(0), "flatten": torch.flatten,
             "stack": lambda t: torch.stack([t, t]), "first": lambda t: t[:1],
             "expand": lambda t: t.expand(2, *t.shape),
             "T": lambda t: t.transpose(0, -1), "list": lambda t: t[[0, 0, -1]]}
    name = data.draw(st.sampled_from(sorted(views)))
    if name in ("flip", "first", "T", "list") and x.dim() == 0 or name == "list" and x.shape[0] == 0:
        return
    y = views[name](x)
    v = numbers(tuple(y.shape), phase=0.3)
    g, = torch.autograd.grad(y, x, v)
    assert torch.allclose((v * y.detach()).sum(), (g * x.detach()).sum())


@quick
@given(tensors(), st.sampled_from(["exp", "sin", "tanh", "sigmoid", "square"]))
def test_in_place_and_out_of_place_agree(x, name):
    out = getattr(x * 1, name)()
    inside = (x * 1)
    getattr(inside, f"{name}_")()
    assert torch.equal(out.detach(), inside.detach()) and inside._version == 1
    for result in (out, inside):
        g, = torch.autograd.grad(result.sum(), x)
        assert g.shape == x.shape
    a, b = (torch.autograd.grad(getattr(x * 1, n)().sum(), x)[0] for n in (name, f"{name}_"))
    assert torch.equal(a, b)


@quick
@given(tensors(), st.integers(-5, 4), st.booleans())
def test_reductions_agree_with_numpy(x, dim, keepdim):
    if not -max(x.dim(), 1) <= dim < max(x.dim(), 1):
        return
    array = x.detach().numpy()
    axis = None if x.dim() == 0 else dim
    wanted = array.sum(axis=axis, keepdims=keepdim)
    assert np.allclose(x.sum(dim, keepdim).detach().numpy(), wanted)


@quick
@given(tensors(), st.data())
def test_writing_a_part_leaves_the_gradient_of_the_rest(x, data):
    if x.dim() == 0 or x.shape[0] == 0:
        return
    i = data.draw(st.integers(0, x.shape[0] - 1))
    y = x * 3
    y[i] = 7.0
    g, = torch.autograd.grad(y.sum(), x)
    wanted = torch.full_like(x.detach(), 3.0)
    wanted[i] = 0.0
    assert torch.equal(g, wanted)
