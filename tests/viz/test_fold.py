"""Large graphs fold: what repeats becomes one box with a count, and one can ask for a part."""
import random

import pytest

from minigrad.viz import draw
from minigrad.viz.drawing.fold import fold
from minigrad.viz.graph.model import Arrow, Box, Picture
from tests.helpers.counting import counted_calls

TIMES = "\N{MULTIPLICATION SIGN}"


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


class Layers:
    """A small network in the shape of nn.Sequential, which both engines can run."""

    def __init__(self, torch, count):
        self.torch = torch
        shapes = ((2, 2), (2,))
        self.layers = [[torch.ones(*shape).requires_grad_() for shape in shapes] for _ in range(count)]

    def named_parameters(self):
        for at, (weight, bias) in enumerate(self.layers):
            yield f"{2 * at}.weight", weight
            yield f"{2 * at}.bias", bias

    def __call__(self, x):
        for weight, bias in self.layers:
            x = self.torch.relu(self.torch.addmm(bias, x, weight.t()))
        return x


# ---------------------------------------------------------------- repeats

def test_a_chain_is_one_box_with_a_count(torch):
    x = leaf(torch, 0.5)
    y = x
    for _ in range(60):
        y = y.sin()
    assert draw(y).text.splitlines() == [
        "Graph behind y, engine view: 1 leaf, 60 more folded away.",
        "n0 leaf x, shape (1,), value [0.5], .grad is None",
        "n1 AccumulateGrad, adds what arrives to the .grad of n0",
        f"n2 SinBackward0 {TIMES}60; behind it: n1",
        f"n3 {draw(y, max_nodes=None).text.splitlines()[-1].partition(' ')[2].replace('n61', 'n2')}",
    ]


@pytest.mark.parametrize("view", ["engine", "maths"])
def test_the_layers_of_a_network_are_one_box_with_the_names_of_its_parameters(torch, view):
    model, data = Layers(torch, 12), torch.ones(1, 2)
    loss = model(data).sum()
    picture = draw(loss, view=view, names={"data": data, "w": model.layers[0][0], "b": model.layers[11][1]},
                   modules=False).picture
    (block,) = [box for box in picture.boxes if box.kind == "fold"]
    assert block.title == f"block {TIMES}12"
    assert block.lines[-1] == "w \N{HORIZONTAL ELLIPSIS} b"
    assert [box.title for box in picture.boxes if box.kind == "constant"] == ["data"]
    whole = draw(loss, view=view, max_nodes=None, modules=False).picture.boxes
    assert len(picture.boxes) + block.folded - 1 == len(whole)


@pytest.mark.parametrize("view", ["engine", "maths"])
def test_of_the_layers_of_a_model_the_first_is_open(torch, view):
    model, data = Layers(torch, 12), torch.ones(1, 2)
    loss = model(data).sum()
    drawing = draw(loss, view=view, show="leaves")
    (block,) = [box for box in drawing.picture.boxes if box.kind == "fold"]
    assert block.title == "then 11 more like model.0"
    assert block.lines[0] == "model.2 \N{HORIZONTAL ELLIPSIS} model.22"
    leaves = sorted(box.title for box in drawing.picture.boxes if box.kind == "leaf")
    assert leaves == ["model.0.bias", "model.0.weight"]
    facts = "(1, 2), 66 parameters"
    assert f"{block.title}: {block.lines[0]}, {facts}" in drawing.text
    whole = draw(loss, view=view, max_nodes=None, show="leaves").picture.boxes
    assert len(drawing.picture.boxes) - 1 + block.folded == len(whole)


@pytest.mark.parametrize("period", [1, 3, 47, 60, 100, 333])
def test_blocks_of_any_length_are_found(torch, period):
    random.seed(2)
    h = leaf(torch, 0.5)
    block = random.choices(["sin", "cos", "exp", "tanh", "sigmoid"], k=period)
    for name in block * 4:
        h = getattr(h, name)()
    folds = [box for box in draw(h, max_nodes=6).picture.boxes if box.kind == "fold"]
    assert [box.title.partition(" ")[2] for box in folds] == [f"{TIMES}4"]
    assert folds[0].folded == 4 * period


def made_of_many(torch, length):
    random.seed(1)
    h = leaf(torch, 0.5)
    for name in random.choices(["sin", "cos", "exp", "tanh", "sigmoid"], k=length):
        h = getattr(h, name)()
    return h


def test_max_nodes_is_the_most_boxes_and_below_it_nothing_folds(torch):
    h = made_of_many(torch, 25)
    assert [len(draw(h, max_nodes=most).picture.boxes) for most in (27, 28, 40, 100, None)] == [27] + [28] * 4
    h = made_of_many(torch, 200)
    for view in ("engine", "maths"):
        for most in (1, 2, 3, 7, 20, 40):
            drawing = draw(h, view=view, max_nodes=most)
            assert most - 1 <= len(drawing.picture.boxes) <= most
            assert all(arrow.tail < arrow.head for arrow in drawing.picture.arrows)


@pytest.mark.parametrize("wrong", [0, -1, 2.5, "40", True])
def test_max_nodes_that_leave_no_box_are_refused(torch, wrong):
    with pytest.raises(ValueError, match="max_nodes must be a whole number, 1 or more, not .*; None shows"):
        draw(leaf(torch, 0.5).sin(), max_nodes=wrong)


# ---------------------------------------------------------------- a part

def test_the_surroundings_of_a_tensor(torch):
    x = leaf(torch, 0.1)
    h = x
    kept = []
    for _ in range(20):
        h = (h * x).exp()
        kept.append(h)
    middle = kept[10]
    drawing = draw(h, around=middle, steps=1)
    titles = [box.title for box in drawing.picture.boxes if box.kind == "op"]
    assert titles == ["MulBackward0", "ExpBackward0", "MulBackward0"]
    assert draw(h, around="middle", steps=1).text == drawing.text
    assert draw(h, around=middle.grad_fn, steps=1).text == drawing.text
    for view in ("engine", "maths"):
        for steps in (0, 1, 2, 3, 5, 50):
            picture = draw(h, around=middle, steps=steps, view=view, max_nodes=None).picture
            assert all(arrow.tail < arrow.head for arrow in picture.arrows)


def test_a_part_that_is_not_there_gets_one_line(torch):
    x, y = leaf(torch, 1.0), leaf(torch, 2.0)
    with pytest.raises(ValueError, match="around is no part of this graph"):
        draw(x.exp(), around=y)
    with pytest.raises(ValueError, match="around='nothing': no tensor of this name was found"):
        draw(x.exp(), around="nothing")
    with pytest.raises(TypeError, match="around takes a tensor, a node or a name, not a float"):
        draw(x.exp(), around=2.0)


# ---------------------------------------------------------------- laws

def random_picture(seed):
    rng = random.Random(seed)
    boxes, arrows = [], []
    for at in range(rng.randint(20, 120)):
        tails = [rng.randrange(max(0, at - 6), at) for _ in range(rng.randint(0, min(2, at)))]
        boxes.append(Box("op" if tails else "leaf", rng.choice("AB"), arguments=len(tails)))
        arrows += [Arrow(tail, at, "next", nr if len(tails) > 1 else None) for nr, tail in enumerate(tails)]
    return Picture("engine", "random", boxes, arrows)


@pytest.mark.parametrize("seed", range(20))
def test_folding_keeps_every_arrow_forward_and_counts_every_box(seed):
    picture = random_picture(seed)
    for budget in (1, 5, 15, 40):
        folded = fold(picture, budget)
        assert len(folded.boxes) <= budget
        assert all(arrow.tail < arrow.head for arrow in folded.arrows)
        shown = [box for box in folded.boxes if box.kind != "fold"]
        assert len(shown) + folded.hidden == len(picture.boxes)


# ---------------------------------------------------------------- size


@pytest.mark.parametrize("shape", ["chain", "mixed", "wide"])
def test_the_work_for_a_node_stays_the_same_however_many_there_are(torch, shape):
    def made(length):
        x = leaf(torch, 0.5)
        if shape == "mixed":
            return made_of_many(torch, length)
        if shape == "wide":
            return sum((x * float(at)).sin() for at in range(length // 3))
        y = x
        for _ in range(length):
            y = y.sin()
        return y

    small, large = made(500), made(2000)
    work = [counted_calls(lambda y=y: draw(y, show="-cuts", max_nodes=40))[1] for y in (small, large)]
    assert work[1] < 2000 * 650
    assert work[1] < 4.6 * work[0]
