"""Memory shared between tensors: bases, which writes are refused, and what nodes say of a call.

What a write does to histories and versions is in the recorded programs of test_recorded.py and of
test_random_programs.py.
Every expectation holds on PyTorch 2.13 as well: MINIGRAD_TEST_BACKEND=torch runs the same tests there.
"""
from __future__ import annotations

import importlib
import os
import warnings

import pytest

torch = importlib.import_module(os.environ.get("MINIGRAD_TEST_BACKEND", "minigrad"))

OVERLAP = "some elements of the input tensor and the written-to tensor refer to a single memory location"
MODIFIED = "has been modified by an inplace operation"


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


def test_a_mask_is_saved():
    y = leaf(2, 3) * 2
    mask = y > 3
    y[mask] = 0.0
    mask.fill_(False)
    with pytest.raises(RuntimeError, match=r"\[CPUBoolType \[2, 3\]\] is at version 1"):
        y.sum().backward()


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
