"""Laws that hold for all shapes and dtypes, tried on shapes that hypothesis makes up.

Shapes include those without dimensions, without elements, with sizes of 1 that broadcast; inputs include
transposed and stepped ones.
"""
from __future__ import annotations

import math
import re

import numpy as np
import pytest
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


# --- a backward pass after .data was replaced ---------------------------------------------------------------

STEPS = {
    "mul": lambda a, b: a * b, "div": lambda a, b: a / b, "pow": lambda a, b: abs(a) ** b,
    "add": lambda a, b: a + b,
    "exp": lambda a, b: a.exp(), "log": lambda a, b: a.abs().log(), "tanh": lambda a, b: a.tanh(),
    "clamp": lambda a, b: a.clamp(0, 1), "sum": lambda a, b: a.sum(-1),
    "mean": lambda a, b: a.mean(-1, keepdim=True),
    "prod": lambda a, b: a.prod(), "amax": lambda a, b: a.amax(-1), "max": lambda a, b: a.max(-1).values,
    "median": lambda a, b: a.median(), "norm": lambda a, b: a.norm(),
    "norm 3": lambda a, b: a.norm(3, dim=-1),
    "var": lambda a, b: a.var(), "std": lambda a, b: a.std(-1), "softmax": lambda a, b: a.softmax(-1),
    "logsumexp": lambda a, b: a.logsumexp(-1), "cumsum": lambda a, b: a.cumsum(-1),
    "cumprod": lambda a, b: a.cumprod(-1), "sort": lambda a, b: a.sort(-1).values,
    "flip": lambda a, b: a.flip(0),
    "matmul": lambda a, b: a @ b.transpose(0, -1), "bmm": lambda a, b: a[None] @ b.transpose(0, -1)[None],
    "einsum": lambda a, b: torch.einsum("ij,kj->ik", a, b), "dot": lambda a, b: a.flatten() @ b.flatten(),
    "linear": lambda a, b: torch.nn.functional.linear(a, b, b.sum(1)),
    "addmm": lambda a, b: torch.addmm(b, a, a.t()),
    "cat": lambda a, b: torch.cat([a, b]), "stack": lambda a, b: torch.stack([a, b], 1),
    "where": lambda a, b: torch.where(b > 0, a, b), "maximum": lambda a, b: torch.maximum(a, b),
    "select": lambda a, b: a[0], "slice": lambda a, b: a[:, 1:], "list": lambda a, b: a[[0, -1, 0]],
    "mask": lambda a, b: a[b > 0], "gather": lambda a, b: a.gather(0, torch.zeros_like(b, dtype=torch.int64)),
    "index_add": lambda a, b: (b * 1).index_add_(0, torch.zeros(len(a), dtype=torch.int64), a),
    "reshape": lambda a, b: a.reshape(-1), "expand": lambda a, b: a.expand(2, *a.shape),
    "t": lambda a, b: a.t() * 2,
    "repeat": lambda a, b: a.repeat(2, 1), "unbind": lambda a, b: a.unbind(0)[0],
    "mse": lambda a, b: torch.nn.functional.mse_loss(a, b),
    "layer_norm": lambda a, b: torch.nn.functional.layer_norm(a, a.shape[-1:], b[0], b[-1]),
    "cross_entropy": lambda a, b: torch.nn.functional.cross_entropy(
        a, torch.zeros(len(a), dtype=torch.int64)),
    "addcmul": lambda a, b: torch.addcmul(a, a, b), "lerp": lambda a, b: torch.lerp(a, b, a),
    "written": lambda a, b: (a * 1).mul_(b), "part written": lambda a, b: put(a * 1, b[0]),
}
OF_NUMPY = re.compile(r"\baxis\b|\bndarray\b|\barrays?\b|\boperands?\b|ufunc|dtype\('|index out of range$")


def put(target, row):
    target[0] = row
    return target


@pytest.mark.filterwarnings("ignore")       # of create_graph, and of losses whose sizes differ
@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=2),
       hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
       st.sampled_from(["data", "grad.data"]),
       st.sampled_from([torch.float32, torch.float64, torch.float16, torch.int64, torch.bool]), st.booleans(),
       st.sampled_from(["backward", "grad", "create_graph", "hook"]))
def test_no_words_of_numpy_leave_a_pass_over_replaced_data(names, shape, place, dtype, other, form):
    """It runs, or raises what PyTorch raises: never a ValueError, nor a sentence of NumPy's."""
    x, w = (numbers((3, 3), torch.float32, phase).requires_grad_() for phase in (0.0, 0.5))
    y = x
    for name in names:
        if y.dim() == 2 and y.shape == (3, 3):
            y = STEPS[name](y, w)
    edited = w if other else x
    try:
        if place == "data":
            edited.data = torch.ones(shape, dtype=dtype)
        else:
            edited.grad = torch.ones(3, 3)
            edited.grad.data = torch.ones(shape, dtype=dtype)
    except (RuntimeError, TypeError):
        return
    if form == "hook":
        y.register_hook(lambda grad: grad * 2)
    try:
        if form == "grad":
            torch.autograd.grad(y.sum(), (x, w), allow_unused=True)
        else:
            y.sum().backward(create_graph=form == "create_graph")
    except (RuntimeError, IndexError) as error:
        assert not OF_NUMPY.search(str(error)), error       # noqa: PT017 (what may be raised)
