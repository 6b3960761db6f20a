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


# ---------------------------------------------------------------- inside functions, and by the memory

def test_the_detached_input_of_a_model(torch):
    G, D = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
    fake = G(torch.ones(4, 2))
    loss = D(fake.detach()).mean()
    assert cuts(draw(loss)) == [("fake", "detach()", "constant (4, 3)")]
    assert cuts(draw([loss, fake])) == [("AddmmBackward0", "detach()", "constant (4, 3)")]


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


def test_a_source_that_has_changed_hands_is_not_named(torch):
    x, w = leaf(torch), leaf(torch)
    h = x.sin()
    d = h.detach().clone()
    h = x.cos()
    assert cuts(draw([d * w, h])) == [("x", "detach()", "d")]  # of the older h nothing is known but x


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
