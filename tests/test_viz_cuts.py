"""Where a value goes on without its history, a picture shows a broken line and the word for it.

Every claim is checked, and so is that none is made where neither memory nor the program's text decides.
"""
import importlib
import re

import pytest

from minigrad.viz import draw


@pytest.fixture(params=["minigrad", "torch"])
def torch(request):
    return pytest.importorskip(request.param)


def line_of(drawing, words):
    (line,) = [line for line in drawing.text.splitlines() if re.match(rf"n\d+ {words}", line)]
    return line


def cuts(drawing):
    picture = drawing.picture
    return [(picture.boxes[arrow.tail].title, arrow.label, picture.boxes[arrow.head].title)
            for arrow in picture.arrows if arrow.kind == "cut"]


def leaf(torch, values=(1.0, 2.0, 3.0)):
    return torch.tensor(list(values), requires_grad=True)


def test_detach_in_a_variable_of_its_own(torch):
    x, w = leaf(torch), leaf(torch)
    y = x * x
    d = y.detach()
    z = d * w + y
    drawing = draw(z)
    assert cuts(drawing) == [("MulBackward0", "detach()", "d")]
    assert line_of(drawing, "constant d").endswith("cut off from n4: detach()")
    assert line_of(drawing, "operation MulBackward0, made y").startswith("n4")
    assert cuts(draw(z, view="maths")) == [("y", "detach()", "d")]
    assert cuts(draw(z, show="-cuts")) == []


def test_detach_inside_the_line_even_where_the_operation_keeps_no_value(torch):
    x, w = leaf(torch), leaf(torch)
    added = x.detach() + w
    assert cuts(draw(added)) == [("x", "detach()", "constant")]
    mean = ((x.detach() - w).exp() / 2).sum()
    assert cuts(draw(mean)) == [("x", "detach()", "constant")]


def test_a_constant_that_is_not_kept_gets_its_name_from_the_line(torch):
    x, w = leaf(torch), leaf(torch)
    d = x.detach()
    z = w + d
    assert cuts(draw(z)) == [("x", "detach()", "d")]
    assert "constant d, constant, value not kept" not in draw(z).text


@pytest.mark.parametrize("mode", ["no_grad", "inference_mode"])
def test_values_made_in_a_quiet_mode(torch, mode):
    x, w = leaf(torch), leaf(torch)
    y = x * x
    with getattr(torch, mode)():
        n = y * 2
    with torch.no_grad():
        m = y * 2
    assert cuts(draw([y, m])) == [("MulBackward0", "no_grad", "m")]
    assert n.requires_grad is False
    z = w * m
    assert cuts(draw(z)) == [("y", "no_grad", "m")]


def test_integers_and_booleans(torch):
    x = leaf(torch)
    y = x * x
    i = y.argmax()
    positive = y > 1
    assert cuts(draw([y, i])) == [("MulBackward0", "integers", "i")]
    assert cuts(draw([y, positive])) == [("MulBackward0", "booleans", "positive")]


@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad:UserWarning")
def test_numbers_taken_out(torch):
    x, w = leaf(torch), leaf(torch)
    k = x[0].item()
    assert [cut[:2] for cut in cuts(draw(w * k, names={"x": x}))] == []  # nothing says that this 1.0 is k
    z = w * k
    assert cuts(draw(z)) == [("x", ".item()", "constant ()")]
    f = float(x.sum())
    added = w + f
    assert cuts(draw(added)) == [("x", "float()", "constant")]


def test_a_tensor_built_anew(torch):
    x, w = leaf(torch), leaf(torch)
    y = x * x
    copy = torch.tensor(y.tolist())
    z = w * copy
    assert cuts(draw(z)) == [("y", ".tolist()", "copy")]


def test_torch_tensor_of_a_tensor(torch):
    x, w = leaf(torch), leaf(torch)
    with pytest.warns(UserWarning, match="To copy construct from a tensor"):
        copy = torch.tensor(x)
    z = w * copy
    assert cuts(draw(z)) == [("x", "torch.tensor()", "copy")]


def test_data(torch):
    x, w = leaf(torch), leaf(torch)
    old = x.data
    z = w * old
    assert cuts(draw(z)) == [("x", ".data", "old")]


def test_shared_memory_speaks_where_the_text_is_silent(torch):
    x, w = leaf(torch), leaf(torch)
    y = x * x
    kept = {}
    kept["d"] = y.detach()
    z = w * kept["d"]
    assert cuts(draw(z)) == [("y", "same memory", "kept['d']")]


def test_a_cut_whose_source_comes_later_in_the_graph_still_runs_forward(torch):
    x, w = leaf(torch), leaf(torch)
    y = x * x
    d = y.detach()
    z = d * w + y.sin()
    for view in ("engine", "maths"):
        picture = draw(z, view=view).picture
        assert all(arrow.tail < arrow.head for arrow in picture.arrows)
        assert [arrow.kind for arrow in picture.arrows].count("cut") == 1


# ---------------------------------------------------------------- no claim without evidence

def test_a_plain_constant_is_cut_off_from_nothing(torch):
    x = leaf(torch)
    data = torch.tensor([4.0, 5.0, 6.0])
    labels = torch.tensor([1, 0, 2])
    assert cuts(draw([x * data, labels])) == []


def test_a_variable_assigned_twice_tells_nothing(torch):
    x, w = leaf(torch), leaf(torch)
    d = x.detach()
    d = torch.ones(3)
    assert cuts(draw(d * w)) == []


def test_a_source_that_has_changed_hands_is_not_named(torch):
    x, w = leaf(torch), leaf(torch)
    h = x.sin()
    d = h.detach().clone()
    h = x.cos()
    assert cuts(draw([d * w, h])) == []


def test_a_leaf_made_from_a_constant_is_not_its_source(torch):
    data = torch.tensor([1.0, 2.0])
    x = data.detach().requires_grad_()
    assert cuts(draw(data * x)) == []


def test_a_parameter_of_a_function_tells_nothing(torch):
    def loss(d, w):
        return draw(d * w)

    x, w = leaf(torch), leaf(torch)
    assert cuts(loss(x.detach(), w)) == []


def test_a_line_that_does_not_fit_the_graph_tells_nothing(torch):
    def add(a, b):
        return b + 1.0

    x, w = leaf(torch), leaf(torch)
    z = add(x.detach(), w)
    assert cuts(draw(z)) == []


def test_text_that_is_gone(torch):
    scope = {"torch": torch, "draw": draw}
    exec("x = torch.tensor([1.0, 2.0], requires_grad=True)\n"
         "drawing = draw(x.detach() + x)", scope)
    assert cuts(scope["drawing"]) == []


def test_both_engines_draw_the_same_cuts():
    pytest.importorskip("torch")
    texts = []
    for name in ("minigrad", "torch"):
        torch = importlib.import_module(name)
        x, w = leaf(torch), leaf(torch)
        y = x * x
        d = y.detach()
        with torch.no_grad():
            n = y * 2
        z = (d * w + n * x).sum() * y[0].item()
        texts.append(draw(z).text)
    assert texts[0] == texts[1]
    assert texts[0].count("cut off from") == 3
