"""Where a value goes on without its history, a picture shows a broken line and the word for it.

Every claim is checked, and so is that none is made where the program's text doesn't decide.
"""
import importlib
import re

import pytest

from minigrad.viz import draw
from minigrad.viz.graph.model import Graph, Op
from minigrad.viz.program.cuts import Cuts
from minigrad.viz.program.names import Names
from tests.helpers.counting import counted_calls


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


def test_a_cut_whose_source_comes_later_in_the_graph_still_runs_forward(torch):
    x, w = leaf(torch), leaf(torch)
    y = x * x
    d = y.detach()
    z = d * w + y.sin()
    for view in ("engine", "maths"):
        picture = draw(z, view=view).picture
        assert all(arrow.tail < arrow.head for arrow in picture.arrows)
        assert [arrow.kind for arrow in picture.arrows].count("cut") == 1


def test_a_cut_inside_a_square(torch):
    x, w = leaf(torch), leaf(torch)
    h = x * w
    target = h.detach()
    loss = ((h - 2 * target) ** 2).sum()
    other = (h - target).pow(2).sum()
    assert [cut[:2] for cut in cuts(draw(loss))] == [("MulBackward0", "detach()")]
    assert cuts(draw(other)) == [("MulBackward0", "detach()", "target")]


def test_a_cut_under_a_minus_a_matrix_product_and_an_index(torch):
    x, w = leaf(torch), leaf(torch)
    minus = -((1 - w) + x.detach())[0]
    assert cuts(draw(minus)) == [("x", "detach()", "constant")]
    product = w @ x.detach()
    assert [cut[:2] for cut in cuts(draw(product))] == [("x", "detach()")]


def test_a_list_of_numbers(torch):
    x, w = leaf(torch), leaf(torch)
    losses = []
    for power in (1, 2):
        loss = (x ** power).sum()
        losses.append(loss.item())
    total = torch.tensor(losses)
    assert cuts(draw(w[:2] * total)) == [("loss", ".item()", "total")]
    firsts = torch.tensor([one.item() for one in (loss, loss)])
    assert cuts(draw(w[:2] * firsts)) == [("loss", ".item()", "firsts")]


# ---------------------------------------------------------------- inside functions, and by the memory

def test_the_detached_input_of_a_model(torch):
    G, D = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
    fake = G(torch.ones(4, 2))
    loss = D(fake.detach()).mean()
    assert cuts(draw(loss)) == [("fake", "detach()", "constant (4, 3)")]
    assert cuts(draw([loss, fake])) == [("AddmmBackward0", "detach()", "constant (4, 3)")]


def test_a_detached_parameter_of_a_function(torch):
    def loss_of(logp, adv):
        return -(logp * adv.detach()).mean()

    w, c = leaf(torch), leaf(torch)
    logp, adv = w.exp(), c * 2
    loss = loss_of(logp, adv)
    assert cuts(draw(loss)) == [("adv", "detach()", "constant (3,)")]


def test_a_number_in_a_function(torch):
    def scaled(value, by):
        return (value * float(by.sum())).exp()

    x, w = leaf(torch), leaf(torch)
    y = x * x
    z = scaled(w, y).mean()
    assert cuts(draw(z)) == [("y", "float()", "constant ()")]


def test_memory_tells_what_no_text_does(torch):
    scope = {"torch": torch, "draw": draw}
    exec("x = torch.tensor([1.0, 2.0], requires_grad=True)\nh = x * x\n"
         "drawing = draw(torch.from_numpy(h.detach().numpy()) * x)\n"
         "copied = draw(h.detach().clone() * x)", scope)
    assert cuts(scope["drawing"]) == [("h", "shared memory", "constant (2,)")]
    assert cuts(scope["copied"]) == []


# ---------------------------------------------------------------- no claim without evidence

def test_a_line_that_has_not_run_is_not_named(torch):
    x, w = leaf(torch), leaf(torch)
    h = x * x
    d, late = torch.ones(3), torch.ones(3)
    if h.sum() < 0:
        d = h.detach()
    z = w * d * late
    assert cuts(draw([z, h])) == []
    late = h.detach()
    assert cuts(draw([z, h])) == []


def test_an_argument_that_a_function_does_not_use(torch):
    def second(a, b):
        if a is None:
            return b.detach()
        return b * 2

    x, w = leaf(torch), leaf(torch)
    z = second(x.detach(), w) + 1.0
    assert cuts(draw(z)) == []

def test_a_size_or_a_gradient_is_no_value(torch):
    x, w = leaf(torch), leaf(torch)
    h = x * x
    h.sum().backward()
    count = torch.tensor(float(h.shape[0]))
    numbers = torch.arange(h.numel())
    random = torch.rand_like(h) > 2
    step = x.grad.detach() * 2
    for constant in (count, numbers, random, step):
        assert cuts(draw([w * constant, h])) == []


def test_a_number_on_the_left_is_not_the_tensor_on_the_right(torch):
    x, k = leaf(torch), 2.0
    h = x * x
    z = k * h
    assert "constant h" not in draw(z).text
    assert cuts(draw(z)) == []



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
    assert cuts(draw([d * w, h])) == [("x", "detach()", "d")]  # of the older h nothing is known but x


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


def test_the_work_grows_with_the_graph_and_not_with_its_square():
    class Key(int):
        """A key that is counted when it is compared."""

        def __eq__(self, other):
            return int(self) == int(other)

        __hash__ = int.__hash__

    data = pytest.importorskip("minigrad").tensor([1.0])
    count = 40_000
    found = Cuts(Names({"data": data}))
    for at in range(count):
        found.constant(data, Key(at), (at, 1))
    graph = Graph([Op("MulBackward0", "op") for _ in range(count)])
    result, calls = counted_calls(lambda: found.found(graph, None))
    assert result == [] and calls < 100 * count
