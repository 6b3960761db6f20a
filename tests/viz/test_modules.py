"""Names from models, and frames around their modules, on both backends."""

import collections
import dataclasses
import re
import typing

import pytest

from minigrad.viz import draw
from minigrad.viz.drawing.image import height


def mlp(torch, layers=2):
    parts = [part for _ in range(layers) for part in (torch.nn.Linear(2, 2), torch.nn.ReLU())]
    return torch.nn.Sequential(*parts[:-1])


def leaves(drawing):
    tabs = [weight.tensor.name for box in drawing.picture.boxes for weight in box.weights]
    return sorted([*tabs, *(box.title for box in drawing.picture.boxes if box.kind == "leaf")])


def frame_lines(drawing):
    return [line for line in drawing.text.splitlines() if line.startswith("Frame ")]


NAMES = ["model.0.bias", "model.0.weight", "model.2.bias", "model.2.weight"]


# ---------------------------------------------------------------- what draw accepts

@dataclasses.dataclass
class Output:
    loss: object
    rest: object = None
    step: int = 3


class Named(typing.NamedTuple):
    loss: object
    other: object


class ModelOutput(collections.OrderedDict):
    """Like that of transformers: a dict whose items are attributes, too."""


def test_draw_takes_what_models_return(torch):
    x = torch.ones(2, requires_grad=True)
    p, q = (x * x).sum(), x.exp().sum()
    expected = draw([p, q]).text
    for given in ((p, q), {"p": p, "q": q, "step": 3, "none": None}, Output(p, Output(q)), Named(p, q),
                  ModelOutput(loss=p, logits=(q, p)), [p, {"deep": [q.grad_fn and q]}], Output(p, {"q": q})):
        assert draw(given).text == expected
    around = [p]
    around.append(around)
    assert draw(around).text == draw(p).text


def test_what_draw_does_not_take_is_named(torch):
    p = torch.ones(2, requires_grad=True).sum()
    takes = r"draw\(\) takes a tensor, or a list, a dict or a dataclass of tensors"
    for given, words in ((3.0, ", not a float: a Python number has no history"), ([], "; this list is empty"),
                         ({"step": 3}, "; this dict is empty or holds none"), (None, ", not None: does the"),
                         ([p, "a"], ", not a str"), ({"a": [p, 2]}, ", not an int"),
                         (Output(object()), ", not an object"), (mlp(torch), ", not a Sequential"),
                         (Output, ", not a type")):
        with pytest.raises(TypeError, match=takes + words):
            draw(given)


# ---------------------------------------------------------------- names

def test_a_loop_variable_never_beats_the_name_of_a_parameter(torch):
    model = mlp(torch)
    loss = model(torch.ones(1, 2)).sum()
    for p in model.parameters():
        p.grad = None
    for layer in model:
        layer.train()
    assert leaves(draw(loss)) == NAMES


def test_attributes_lists_and_dicts_are_searched_and_buffers_too(torch):
    class Trainer:
        def __init__(self):
            self.model = mlp(torch)
            self.scale = torch.ones(2, requires_grad=True)

        def picture(self):
            return draw(self.model(torch.ones(1, 2)) * self.scale)

    assert leaves(Trainer().picture()) == [*(f"self.{name}" for name in NAMES), "self.scale"]
    nets = {"G": torch.nn.Linear(2, 2)}
    pair = [torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)]
    loss = pair[1](pair[0](nets["G"](torch.ones(1, 2))))
    assert leaves(draw(loss)) == ["nets['G'].bias", "nets['G'].weight", "pair[0].bias", "pair[0].weight",
                                  "pair[1].bias", "pair[1].weight"]
    net = torch.nn.Linear(2, 2)
    net.register_buffer("mean", torch.tensor([1.0, 2.0]))
    assert "constant net.mean, shape (2,)" in draw(net(torch.ones(1, 2)) * net.mean).text


def test_names_take_a_model_and_models_in_a_dict(torch):
    def made():
        model = mlp(torch)
        return model, model(torch.ones(1, 2))

    bare = [name.removeprefix("model.") for name in NAMES]
    net, y = made()
    assert leaves(draw(y, names={"net": net})) == [f"net.{name}" for name in bare]
    assert leaves(draw(y, names=net)) == [f"net.{name}" for name in bare]
    pair = (made(),)
    del net, y
    assert leaves(draw(pair[0][1], names=pair[0][0])) == [f"pair[0][0].{name}" for name in bare]
    with pytest.raises(TypeError, match="names must be a dict like .*, a model, or False .*, not a list"):
        draw(pair[0][1], names=["w"])


# ---------------------------------------------------------------- frames

def test_modules_are_framed_in_the_picture_and_in_the_text(torch):
    model, X = mlp(torch), torch.ones(1, 2)
    loss = model(X).sum()
    drawing = draw(loss)
    assert frame_lines(drawing) == ["Frame model.2 (Linear): n0, n1, n10, n11, n12 and n13.",
                                    "Frame model.0 (Linear): n2, n3, n4, n5, n6 and n8."]
    assert draw(loss, modules=model).text == drawing.text
    assert frame_lines(draw(loss, depth=0)) == frame_lines(draw(loss, modules=False)) == []
    assert frame_lines(draw(loss, names={"net": model}))[0].startswith("Frame net.2 (Linear):")
    unnamed = draw(loss, names=False, modules=model)
    assert frame_lines(unnamed)[0] == frame_lines(drawing)[0]
    assert "leaf, shape (2,)" in unnamed.text
    for off in (draw(loss, depth=0), draw(loss, modules=False)):
        assert [off.text] == [drawing.text.partition("\nFrame")[0]]
    assert frame_lines(draw(loss, view="maths"))
    with pytest.raises(TypeError, match="modules must be a model, or False for no frames, not a str"):
        draw(loss, modules="model")
    with pytest.raises(ValueError, match="depth must be a whole number, 0 or more, not -1"):
        draw(loss, depth=-1)


def test_depth_says_how_many_frames_lie_in_each_other(torch):
    model = torch.nn.Sequential(mlp(torch), torch.nn.ReLU(), mlp(torch))
    loss = model(torch.ones(1, 2)).sum()
    words = [line.partition(":")[0] for line in frame_lines(draw(loss, depth=2, max_nodes=None))]
    assert sorted(words) == [
        "Frame model.0 (Sequential)", "Frame model.0.0 (Linear)", "Frame model.0.2 (Linear)",
        "Frame model.2 (Sequential)", "Frame model.2.0 (Linear)", "Frame model.2.2 (Linear)"]
    assert len(frame_lines(draw(loss, max_nodes=None))) == 2


# ---------------------------------------------------------------- folding

def boxes(drawing):
    return [box.title for box in drawing.picture.boxes]


def test_a_module_that_differs_is_not_said_to_be_like_the_others(torch):
    model = mlp(torch, 12)
    for parameter in model[12].parameters():
        parameter.requires_grad_(False)
    shown = boxes(draw(model(torch.ones(1, 2)).sum()))
    assert [title for title in shown if title.startswith("then")] == ["then 5 more like model.0",
                                                                      "then 4 more like model.14"]


def test_a_model_too_large_to_show_is_shown_by_its_modules(torch):
    wide = torch.nn.Sequential(*(torch.nn.Linear(at + 1, at + 2) for at in range(12)))
    drawing = draw(wide(torch.ones(1, 1)).sum(), show="leaves")
    assert boxes(drawing)[-13:-2] == [f"wide.{at}" for at in range(1, 12)]
    assert re.search(r"n8 wide.2: Linear, \(1, 4\), 16 parameters, saves \d+ bytes; behind it: n7",
                     drawing.text)
    assert "Frame wide.0 (Linear): n0, n1, n2, n3, n4, n5 and n6." in drawing.text
    compact = draw(wide(torch.ones(1, 1)).sum(), max_nodes=41)  # up to 40, it would not fit a page
    assert boxes(compact) == ["constant (1, 1)", *["AddmmBackward0"] * 12, "SumBackward0", "tensor ()"]
    larger = draw(wide(torch.ones(1, 1)).sum(), max_nodes=6)
    assert len(larger.picture.boxes) == 6
    assert re.search(r"n\d \N{HORIZONTAL ELLIPSIS} \d+ more: \d+ Linear", larger.text)


def test_the_layers_of_a_transformer(torch):
    if torch.__name__ != "torch":
        pytest.skip("minigrad has no transformer")
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 12, enable_nested_tensor=False)
    drawing = draw(model(torch.ones(1, 3, 8, requires_grad=True)).sum())
    assert len(drawing.picture.boxes) <= 40
    assert re.search(r"then 1[01] more like model.layers.[01]: .* model.layers.11", drawing.text)
    assert height(drawing.svg) <= 1400
    larger = draw(model(torch.ones(1, 3, 8, requires_grad=True)).sum(), max_nodes=60)
    assert re.search(r"n\d model.layers.0.self_attn: MultiheadAttention, ", larger.text)


def test_the_names_of_modules_are_made_printable(torch):
    model = torch.nn.Sequential()
    model.add_module("a\nb\x00", type("<b>\x1b", (torch.nn.Linear,), {})(2, 2))
    model.add_module("\u202egrad", torch.nn.Linear(2, 2))
    y = model(torch.ones(1, 2)).sum()
    for most in (40, 10):
        drawing = draw(y, max_nodes=most)
        assert drawing.text.replace("\n", "").isprintable()
        assert r"model.a\nb\x00" in drawing.text and r"\u202egrad" in drawing.text
        assert r"&lt;b&gt;\x1b" in drawing.dot and r"<b>\x1b" not in drawing.dot


def test_no_method_of_a_module_is_called_to_find_its_names(torch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = self.second = torch.nn.Linear(2, 2)

        def refuse(self, *args, **options):
            raise AssertionError("this is the program's own method")

        named_parameters = parameters = named_modules = modules = named_buffers = refuse

    model = Model()
    assert leaves(draw(model.first(torch.ones(1, 2)).sum())) == ["model.first.bias", "model.first.weight"]
