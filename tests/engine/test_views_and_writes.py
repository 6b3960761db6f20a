"""Memory shared between tensors: bases, versions, what a write does to histories, and which writes are
refused.

Every expectation holds on PyTorch 2.13 as well: MINIGRAD_TEST_BACKEND=torch runs the same tests there.
"""
from __future__ import annotations

import importlib
import os
import warnings

import pytest

torch = importlib.import_module(os.environ.get("MINIGRAD_TEST_BACKEND", "minigrad"))

OVERLAP = "some elements of the input tensor and the written-to tensor refer to a single memory location"
EXPANDED = "more than one element of the written-to tensor refers to a single memory location"
MODIFIED = "has been modified by an inplace operation"
SEVERAL_VIEWS = "is the output of a function that returns multiple views"


def leaf(*sizes):
    """A leaf counting up from 1."""
    count = 1
    for n in sizes:
        count *= n
    return torch.arange(1.0, count + 1, dtype=torch.float64).view(*sizes).clone().requires_grad_()


def graph(tensor):
    """The history as text: node names, shortened, with what is behind them."""
    def walk(node):
        if node is None:
            return "-"
        name = node.name().removeprefix("torch::autograd::").replace("Backward0", "").replace("Backward", "")
        behind = ",".join([walk(child) for child, _ in node.next_functions])
        return f"{name}({behind})" if behind else name
    return walk(tensor.grad_fn)


def grads(y, x):
    y.sum().backward()
    return x.grad.tolist()


# --- bases and versions -------------------------------------------------------------------------------------

def test_views_of_views_have_the_first_tensor_as_base():
    x = leaf(2, 3)
    a = x.view(3, 2)
    b = a[0]
    assert a._base is x
    assert b._base is x
    assert x._base is None
    assert b._is_view()
    assert not x._is_view()


@pytest.mark.parametrize(("take", "is_view"), [
    (lambda x: x.view(6), True), (lambda x: x.reshape(6), True), (lambda x: x.t(), True), (lambda x: x.T,
                                                                                           True),
    (lambda x: x[0], True), (lambda x: x[:, 1:], True), (lambda x: x[...], True), (lambda x: x[None], True),
    (lambda x: x.expand(2, 2, 3), True), (lambda x: x.squeeze(), True), (lambda x: x.diagonal(), True),
    (lambda x: x.unbind()[0], True), (lambda x: x.split(1)[0], True),
    (lambda x: x.t().reshape(6), False), (lambda x: x[[0, 1]], False), (lambda x: x[x > 0], False),
    (lambda x: x.t().contiguous(), False), (lambda x: x.contiguous(), False), (lambda x: x.repeat(1, 1),
                                                                               False),
    (lambda x: x.flip(0), False), (lambda x: x.diag(), False), (lambda x: x.clone(), False),
])
def test_what_is_a_view(take, is_view):
    x = leaf(2, 3) * 1
    y = take(x)
    assert y._is_view() == is_view
    with torch.no_grad():
        x.fill_(9)
    assert bool((y == 9).all()) == (is_view or y is x)


def test_views_share_the_version():
    x = torch.zeros(4)
    v = x[1:3]
    v.mul_(10)
    x[0] = 5
    x.view(2, 2)[0].fill_(3)
    assert (x._version, v._version) == (3, 3)
    d = x.detach()
    d.zero_()
    assert (x._version, d._version) == (4, 4)
    x.data.add_(1)
    assert x._version == 4
    assert x.clone()._version == 0


# --- histories after writes ---------------------------------------------------------------------------------

def test_a_written_view_is_taken_again():
    x = leaf(2, 3)
    y = x * 2
    a, b = y[0], y[0, 1:]
    a.mul_(10)
    assert graph(y) == "CopySlices(Mul(AccumulateGrad,-),-)"
    assert graph(a) == graph(b) == "AsStrided(CopySlices(Mul(AccumulateGrad,-),-))"
    assert grads(y, x) == [[20, 20, 20], [2, 2, 2]]


def test_a_view_follows_its_base():
    x = leaf(2, 3)
    y = x * 2
    a = y[0]
    y.zero_()
    assert graph(a) == "AsStrided(Zero(Mul(AccumulateGrad,-)))"
    assert grads(a, x) == [[0, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize(("change", "after"), [
    (lambda y, v: y.__setitem__(0, 5.0), "CopySlices(M,-)"),
    (lambda y, v: y.__setitem__(0, v), "CopySlices(M,AccumulateGrad)"),
    (lambda y, v: y.__setitem__((0, 1), v[0]), "CopySlices(M,Select(AccumulateGrad))"),
    (lambda y, v: y.__setitem__(slice(None), v), "Copys(M,Expand(View(AccumulateGrad)))"),
    (lambda y, v: y.__setitem__(..., 1), "Fill3(M,-)"),
    (lambda y, v: y.__setitem__([0, 1], 3.0), "IndexPut(M,-)"),
    (lambda y, v: y.__setitem__([0], v), "IndexPut(M,AccumulateGrad)"),
    (lambda y, v: y.__setitem__(y > 3, 0.0), "IndexPut(M,-)"),
    (lambda y, v: y.__setitem__((0, [0, 1]), v[:2]), "CopySlices(M,Slice(AccumulateGrad))"),
    (lambda y, v: y.__setitem__(0, y[1]), "CopySlices(M,Select(M))"),
    (lambda y, v: y.__setitem__(False, 1.0), "M"),
    (lambda y, v: y.fill_(3), "Fill2(M)"),
    (lambda y, v: y.fill_(v.sum()), "Fill3(M,Sum(AccumulateGrad))"),
    (lambda y, v: y.zero_(), "Zero(M)"),
    (lambda y, v: y.copy_(v), "Copys(M,AccumulateGrad)"),
    (lambda y, v: y.copy_(y), "Copys(M,M)"),
    (lambda y, v: y[0].copy_(v), "CopySlices(M,AccumulateGrad)"),
    (lambda y, v: y[0].add_(y[1]), "CopySlices(M,Select(M))"),
    (lambda y, v: y[0].zero_(), "CopySlices(M)"),
    (lambda y, v: y.masked_fill_(y > 3, 0), "MaskedFill(M)"),
    (lambda y, v: y.detach().zero_(), "M"),
])
def test_the_node_of_a_write(change, after):
    y, v = leaf(2, 3) * 2, leaf(3)
    change(y, v)
    assert graph(y) == after.replace("M", "Mul(AccumulateGrad,-)").replace("Mul(AccumulateGrad,-)askedFill",
                                                                           "MaskedFill")


def test_in_place_arithmetic_on_an_item_writes_twice():
    x = leaf(2, 3)
    y = x * 2
    y[0] += 1
    assert y._version == 2
    assert graph(y) == ("CopySlices(CopySlices(Mul(AccumulateGrad,-),-),"
                        "AsStrided(CopySlices(Mul(AccumulateGrad,-),-)))")
    assert grads(y, x) == [[2, 2, 2], [2, 2, 2]]


def test_a_buffer_filled_row_by_row():
    x = leaf(2, 3)
    buffer = torch.zeros(2, 3, dtype=torch.float64)
    for i in range(2):
        buffer[i] = x[i] * (i + 1)
    buffer[1] += x[0]
    assert buffer.requires_grad
    assert not buffer.is_leaf
    the_same, = torch.autograd.grad((torch.stack([x[0], x[1] * 2 + x[0]]) ** 2).sum(), x)
    assert grads(buffer * buffer, x) == the_same.tolist()


def test_the_order_of_writes_decides():
    x = leaf(4)
    y = x * x
    y[0] = 1.0
    y[1:3] *= 2
    assert grads(y * y, x) == [0, 128, 432, 256]


def test_writes_in_no_grad_are_not_recorded():
    x = leaf(3)
    with torch.no_grad():
        x[0] = 5
        x[1:].mul_(2)
        x.copy_(x + 1)
    assert x.tolist() == [6, 5, 7]
    assert x.is_leaf
    assert x.requires_grad
    assert x._version == 3


def test_second_derivatives_through_a_write():
    x = leaf(3)
    y = x * x
    y[0] = x[1] * x[2]
    y[1:].mul_(x[:2])
    first, = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert first.tolist() == [4, 16, 14]
    second, = torch.autograd.grad(first.sum(), x)
    assert second.tolist() == [4, 13, 11]


# --- what was saved, and written since ----------------------------------------------------------------------

@pytest.mark.parametrize("program", [
    lambda y: y.mul_(y),
    lambda y: y[0].mul_(y[1]),
    lambda y: (y[0].exp_(), y.mul_(2)),
])
def test_an_operand_written_by_its_own_operation(program):
    x = leaf(2, 3)
    y = x * 2
    program(y)
    with pytest.raises(RuntimeError, match=MODIFIED):
        y.sum().backward()


def test_a_view_saved_and_its_base_written_elsewhere():
    x = leaf(4)
    y = x * 1
    z = y[:2]
    w = z * z
    y[3] = 0.0
    with pytest.raises(RuntimeError, match=MODIFIED):
        w.sum().backward()


def test_indices_are_saved():
    x = leaf(2, 3)
    places = torch.tensor([0])
    y = x[places]
    places[0] = 1
    with pytest.raises(RuntimeError, match=r"\[torch.LongTensor \[1\]\] is at version 1; expected version 0"):
        y.sum().backward()


def test_a_mask_is_saved():
    y = leaf(2, 3) * 2
    mask = y > 3
    y[mask] = 0.0
    mask.fill_(False)
    with pytest.raises(RuntimeError, match=r"\[CPUBoolType \[2, 3\]\] is at version 1"):
        y.sum().backward()


def test_a_write_is_freed_with_the_graph():
    x = leaf(3)
    y = x * 1
    y[0] = 2.0
    s = y.sum()
    s.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        s.backward()


# --- refused writes -----------------------------------------------------------------------------------------

@pytest.mark.parametrize("change", [
    lambda x: x.fill_(1), lambda x: x.zero_(), lambda x: x.copy_(x.detach() + 1),
    lambda x: x.masked_fill_(x > 0, 1),
])
def test_leaves(change):
    x = leaf(2, 3)
    with pytest.raises(RuntimeError, match="^a leaf Variable that requires grad is being used in an "
                                           "in-place operation"):
        change(x)
    assert x._version == 0
    assert x.tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize("change", [
    lambda x: x.__setitem__(0, 5.0), lambda x: x[0].mul_(2), lambda x: x.view(6).fill_(0),
    lambda x: x.__setitem__((slice(None), 1), 0.0), lambda x: x.diagonal().zero_(),
])
def test_views_of_leaves(change):
    x = leaf(2, 3)
    with pytest.raises(RuntimeError, match="^a view of a leaf Variable that requires grad"):
        change(x)
    assert x._version == 0
    assert x.tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(("take", "made_by"), [
    (lambda y: y.unbind()[0], "Output 0 of Unbind"), (lambda y: y.split(1)[1], "Output 1 of Split"),
    (lambda y: y.split([1, 1])[1], "Output 1 of SplitWithSizes"), (lambda y: next(iter(y)),
                                                                   "Output 0 of Unbind"),
    (lambda y: y.unbind()[1][1:], "Output 0 of Slice"),
])
def test_views_among_several(take, made_by):
    y = leaf(2, 3) * 1
    v = take(y)
    with pytest.raises(RuntimeError, match=f"^{made_by} is a view and is being modified inplace. This view "
                                           f"{SEVERAL_VIEWS}"):
        v.add_(1)
    y.add_(1)
    with pytest.raises(RuntimeError, match="is a view and its base or another view of its base has been "
                                           "modified"):
        v * 2


def test_views_made_in_no_grad():
    y = leaf(6) * 1
    with torch.no_grad():
        v = y.view(2, 3)
        pieces = y.split(2)
    assert v.requires_grad
    assert v.is_leaf
    assert graph(v * 2) == "Mul(-,-)"
    for made in (v, pieces[0]):
        with pytest.raises(RuntimeError, match="^A view was created in no_grad mode and is being modified "
                                               "inplace with grad"):
            made.add_(1)
    with pytest.raises(RuntimeError, match="^Output 0 of Select is a view of a view which was created in "
                                           "no_grad mode"):
        v[0].add_(1)


def test_inference_tensors_and_their_views():
    with torch.inference_mode():
        x = torch.zeros(3)
        v = x[0]
        x[0] = 1
    assert v.is_inference()
    assert not v._is_view()
    assert x[1:].is_inference()
    with pytest.raises(RuntimeError, match="^Inplace update to inference tensor outside InferenceMode is "
                                           "not allowed"):
        x[0] = 1


def test_a_view_of_a_normal_tensor_made_in_inference_mode():
    x = torch.zeros(3)
    with torch.inference_mode():
        v = x[0]
        x[1] = 2
    v.add_(1)
    assert x.tolist() == [1, 2, 0]
    assert x._version == 2
    assert v._is_view()
    assert not v.is_inference()
    y = leaf(3) * 1
    with torch.inference_mode():
        w = y[0]
    with pytest.raises(RuntimeError, match="^A view was created in inference mode and is being modified "
                                           "inplace in normal"):
        w.add_(1)


@pytest.mark.parametrize("change", [
    lambda y: y[1:].copy_(y[:-1]), lambda y: y.__setitem__(slice(1, None), y[:-1]),
    lambda y: y[:4].view(2, 2).copy_(y[:4].view(2, 2).t()),
    lambda y: y.index_add_(0, torch.tensor([0, 1]), y[2:4]), lambda y: y.scatter_(0, torch.tensor([0, 1]), y),
    lambda y: y.__setitem__([0, 1], y[2:4]),
])
def test_source_and_target_overlap(change):
    y = torch.arange(6.0)
    with pytest.raises(RuntimeError, match=OVERLAP):
        change(y)
    assert y.tolist() == [0, 1, 2, 3, 4, 5]


def test_overlaps_that_are_allowed():
    y = torch.arange(6.0)
    y.copy_(y)
    y[:3].copy_(y[3:])
    assert y.tolist() == [3, 4, 5, 3, 4, 5]
    y[::2].copy_(y[1::2])
    assert y.tolist() == [4, 4, 3, 3, 5, 5]


@pytest.mark.parametrize("change", [
    lambda y: y.copy_(torch.ones(2, 3)), lambda y: y.add_(1), lambda y: y.__setitem__((slice(None), 0), 1),
    lambda y: y.scatter_(0, torch.tensor([[0]]), 1), lambda y: y.index_add_(0, torch.tensor([0]),
                                                                            torch.ones(1, 3)),
])
def test_expanded_memory(change):
    y = torch.zeros(3).expand(2, 3)
    with pytest.raises(RuntimeError, match=EXPANDED):
        change(y)


def test_writes_that_expanded_memory_allows():
    x = torch.zeros(3)
    y = x.expand(2, 3)
    y.fill_(1)
    y[0] = 2
    y.zero_()
    assert x._version == 3
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        y.masked_fill_(torch.tensor([True, False, False]), 4)
    assert x.tolist() == [4, 0, 0]
    assert [str(w.message)[:60] for w in seen] == ["Use of masked_fill_ on expanded tensors is deprecated. "
                                                   "Pleas"]


# --- dtypes -------------------------------------------------------------------------------------------------

def test_a_write_converts():
    y = torch.tensor([1, 2, 3])
    y[0] = 2.9
    y[1] = torch.tensor(7.9)
    y[[2]] = True
    assert y.tolist() == [2, 7, 1]
    assert y.dtype == torch.int64
    z = torch.zeros(3)
    z.copy_(torch.tensor([1, 2, 3]))
    z[0] = torch.tensor(0.5, dtype=torch.float64)
    assert z.tolist() == [0.5, 2, 3]
    assert z.dtype == torch.float32


def test_a_number_converted_to_an_integer_has_no_history():
    y = torch.tensor([1, 2, 3])
    y[0] = torch.tensor(3.0, requires_grad=True)
    assert y.tolist() == [3, 2, 3]
    assert not y.requires_grad


# --- what is said of a call by the node ---------------------------------------------------------------------

def test_a_correction_that_was_not_given():
    x = leaf(2, 3)
    for y, saved in ((x.var(), None), (x.var(0), 1), (x.std(unbiased=False), 0), (x.var(correction=2), 2),
                     (torch.var_mean(x)[0], None)):
        assert y.grad_fn._saved_correction == saved


def test_a_kind_of_tuple_is_a_tuple_of_indices():
    x = leaf(2, 3) * 1
    assert x[torch.Size([1, 2])].grad_fn.name() == "SelectBackward0"
    assert x[torch.Size([1, 2])].shape == () and x[torch.Size([1])].shape == (3,)
