"""diff(): what two graphs share is drawn once, what differs is marked, and sentences say it."""
from __future__ import annotations

import importlib
import importlib.util

import pytest

from minigrad.viz import diff
from tests.helpers.counting import counted_calls

BACKENDS = ["minigrad"] + ["torch"] * (importlib.util.find_spec("torch") is not None)


@pytest.fixture(params=BACKENDS)
def torch(request):
    return importlib.import_module(request.param)


def leaf(torch, *values):
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def marks(drawing, kind="op"):
    return [(box.title, box.mark) for box in drawing.picture.boxes if box.kind == kind]


def test_square_and_product(torch):
    x = leaf(torch)
    a, b = (x * x).sum(), (x ** 2).sum()
    drawing = diff(a, b)
    assert drawing.sentences == ["MulBackward0 with two edges to x is gone.",
                                 "PowBackward0 with one edge to x was added.", "One operation is in both."]
    assert dict(marks(drawing)) == {"MulBackward0": "removed", "PowBackward0": "added",
                                    "SumBackward0": "same"}
    assert drawing.text.splitlines()[-4:] == [
        "n2 [− removed] operation MulBackward0; next functions: n1 [− removed], n1 [− removed]; "
        "saved: self and other = x (2,)",
        "n3 [+ added] operation PowBackward0, exponent = 2; next functions: n1 [+ added]; "
        "saved: self = x (2,)",
        "n4 operation SumBackward0; next functions: n2 [− removed], n3 [+ added]; saves nothing",
        "n5 tensor a / b, shape (), value 5.0, its grad_fn is n4",
    ]
    assert diff(b, a).sentences[0] == "PowBackward0 with one edge to x is gone."


def test_what_a_detach_changed(torch):
    x = leaf(torch)
    h = x * 3.0
    k = h.detach()
    whole, cut = (h * h).sum(), (h * k).sum()
    drawing = diff(whole, cut)
    assert drawing.sentences == [
        "MulBackward0 had two edges to h and now has one edge to h and one to the constant k, cut off by "
        "detach().", "Three operations are in both."]
    assert {mark for _, mark in marks(drawing)} == {"same"}
    changed = [(arrow.kind, arrow.argument, arrow.mark) for arrow in drawing.picture.arrows
               if arrow.mark in ("added", "removed")]
    assert sorted(changed) == [("next", 1, "removed"), ("none", 1, "added")]
    assert [arrow.label for arrow in drawing.picture.arrows if arrow.kind == "cut"] == ["detach()"]


def test_graphs_that_were_built_alike(torch):
    def build(x, w):
        return ((x * w).exp() + x).sum()
    x, w = leaf(torch), leaf(torch, 3.0, 4.0)
    one, two = build(x, w), build(x, w)
    drawing = diff(one, two)
    assert drawing.sentences == ["The two graphs are alike: 4 operations, with the same edges."]
    assert len([box for box in drawing.picture.boxes if box.kind == "op"]) == 4
    assert diff(one, one).sentences == drawing.sentences


def test_only_one_has_a_history(torch):
    x = leaf(torch)
    one, two = (x * 2.0).sum(), (x * 2.0).detach().sum()
    drawing = diff(one, two)
    assert drawing.sentences == ["two is a tensor without history: there is nothing to compare."]
    assert ("two", "added") in marks(drawing, "constant")


def test_arrows_run_forward_where_the_order_of_operations_changed(torch):
    x = leaf(torch)
    one, two = x.sin().exp().tanh().sum(), x.tanh().exp().sin().sum()
    drawing = diff(one, two)
    assert all(arrow.tail < arrow.head for arrow in drawing.picture.arrows)
    ops = marks(drawing)
    assert len([title for title, mark in ops if mark != "added"]) == 4
    assert len([title for title, mark in ops if mark != "removed"]) == 4


def test_bad_input(torch):
    x = leaf(torch)
    with pytest.raises(TypeError, match="not a float"):
        diff(x.sum(), 1.0)
    with pytest.raises(TypeError, match="one tensor and another"):
        diff([x.sum(), x.exp()], x.sum())
    with pytest.raises(ValueError, match="unknown view"):
        diff(x.sum(), x.exp(), view="colour")


def test_the_work_grows_with_the_number_of_differences_and_not_with_its_cube(torch):
    def chain(length, step):
        y = leaf(torch, 0.5)
        for at in range(length):
            y = y.sin() if at % step else y.cos()
        return y

    work = [counted_calls(lambda n=n: diff(chain(n, n), chain(n, 4), names=False))[1] for n in (40, 160)]
    assert work[1] < 16 * work[0]
