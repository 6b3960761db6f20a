"""The forward pass as a picture of modules, with shapes, parameters, FLOPs and activations."""
import re
import runpy
import textwrap
import warnings
from xml.etree import ElementTree

import pytest

from minigrad.viz import draw, watch
from minigrad.viz.drawing.text_twin import escaped
from minigrad.viz.graph.flops import flops_of
from minigrad.viz.graph.model import Graph, Input, Op
from tests import ROOT
from tests.systems.test_hostile import EVIL, alive


@pytest.fixture
def real():
    return pytest.importorskip("torch")


def drawn(model, *given, **keywords):
    """The drawing of one forward pass with all modules opened that are in another one."""
    with watch(model):
        out = model(*given, **keywords)
    return draw(out, view="modules", names={"model": model, "out": out}, max_nodes=None)


def flops_in(drawing):
    """The sum of all boxes, as the drawing has it."""
    return sum(box.inside.work.flops for box in drawing.picture.boxes if box.inside is not None)


def lines_of(drawing):
    """The words of each module's box, by its name."""
    return {box.title: box.lines for box in drawing.picture.boxes if box.kind == "fold"}


def mlp(torch):
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))


def attention(torch):
    class Attention(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.qkv, self.out = (torch.nn.LayerNorm(8), torch.nn.Linear(8, 24),
                                             torch.nn.Linear(8, 8))

        def forward(self, x, mask=None):
            q, k, v = self.qkv(self.norm(x)).chunk(3, -1)
            scores = q @ k.transpose(1, 2)
            weights = torch.softmax(scores if mask is None else scores * mask, -1)
            return x + self.out(weights @ v)

    return Attention()


# ---------------------------------------------------------------- figures

def test_flops_of_an_mlp_are_those_computed_by_hand(torch):
    drawing = drawn(mlp(torch), torch.randn(5, 4))
    boxes = lines_of(drawing)
    assert boxes["model.0"] == ["Linear", "(5, 4) → (5, 8)", "40 parameters", "320 FLOPs",
                                "activations: 160 bytes"]
    assert "FLOPs not counted" in boxes["model.1"]
    assert "240 FLOPs" in boxes["model.2"]
    assert flops_in(drawing) == 2 * 5 * 4 * 8 + 2 * 5 * 8 * 3
    assert "560 in all. Not counted: Relu (1)." in drawing.text


def test_flops_of_attention_are_those_computed_by_hand(torch):
    x = torch.randn(2, 5, 8)
    drawing = drawn(attention(torch), x)
    products = 2 * (2 * 2 * 5 * 5 * 8)
    assert flops_in(drawing) == 2 * 10 * 8 * 24 + products + 2 * 10 * 8 * 8
    assert "operation @, (2, 5, 5), 800 FLOPs" in drawing.text


def models(torch):
    nn = torch.nn

    class Fused(nn.Module):
        def forward(self, x):
            return nn.functional.scaled_dot_product_attention(x, x * 2, x.narrow(-1, 0, 4))

    class Multi(nn.Module):
        def __init__(self, needs):
            super().__init__()
            self.inner, self.needs = nn.MultiheadAttention(8, 2, batch_first=True), needs

        def forward(self, x):
            return self.inner(x, x, x, need_weights=self.needs)[0]

    convolutions = nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(4, 8, 3, stride=2, groups=2, bias=False), nn.ConvTranspose2d(8, 4, 2, groups=2),
        nn.Flatten(), nn.LazyLinear(10))
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return {
        "mlp": (mlp(torch), (5, 4)), "attention": (attention(torch), (2, 5, 8)),
        "convolutions": (convolutions, (2, 2, 9, 9)),
        "convolutions in 1D": (nn.Sequential(nn.Conv1d(2, 4, 3), nn.ConvTranspose1d(4, 2, 3)),
                               (3, 2, 7)),
        "fused": (Fused(), (2, 2, 5, 8)), "multihead": (Multi(True), (2, 5, 8)),
        "multihead, fused": (Multi(False), (2, 5, 8)), "transformer": (layer, (2, 5, 8)),
    }


@pytest.mark.parametrize("name", ["mlp", "attention", "convolutions", "convolutions in 1D", "fused",
                                  "multihead", "multihead, fused", "transformer"])
def test_flops_are_those_of_pytorch(real, name):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.flop_counter import FlopCounterMode

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a lazy module
        model, shape = models(real)[name]
        x = real.randn(shape)
        model(x)
    x.requires_grad_(name == "fused")
    # PyTorch's counter leaves out the fused attention of a CPU, and counts the products it is made of.
    with FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH):
        model(x)
    drawing = drawn(model, x)
    assert flops_in(drawing) == counter.get_total_flops() > 0
    assert f"{counter.get_total_flops():,} in all" in drawing.text


def test_a_linear_layer_in_one_operation():
    """Some devices record it so; there is none here."""
    weight, x = Op("AccumulateGrad", "accumulate", shapes=[(3, 4)]), Op("Mul", "op", shapes=[(2, 5, 4)])
    linear = Op("LinearBackward0", "op", [Input(1), Input(0)], shapes=[(2, 5, 3)])
    assert flops_of(Graph([weight, x, linear]), linear) == 2 * 10 * 4 * 3


def test_what_is_not_counted_is_never_zero(real):
    class Own(real.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x @ x.T

        @staticmethod
        def backward(ctx, grad):
            return grad

    class Unknown(real.nn.Module):
        def forward(self, x):
            return Own.apply(x)

    class Recurrent(real.nn.LSTM):
        def forward(self, x):
            return super().forward(x)[0]

    model = real.nn.Sequential(Recurrent(4, 8), real.nn.Linear(8, 3), Unknown())
    drawing = drawn(model, real.randn(5, 4))
    boxes = lines_of(drawing)
    assert "FLOPs not counted" in boxes["model.0"] and "FLOPs not counted" in boxes["model.2"]
    assert "240 FLOPs" in boxes["model.1"]
    assert "Own (1)" in drawing.text and " 0 FLOPs" not in drawing.text
    outer = real.nn.Sequential(model)
    with watch(outer):
        out = outer(real.randn(5, 4))
    block = draw(out, view="modules", max_nodes=4).picture.boxes
    words = next(box.lines for box in block if box.title == "outer.0")
    assert "240 FLOPs" in words and any("not counted" in line for line in words)


def test_activations_are_what_forward_hooks_add_up(torch):
    class Whole(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.block = torch.nn.Linear(8, 8), attention(torch)
            self.last = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(8, 2))

        def forward(self, x):
            return self.last(self.block(self.block(self.first(x))))

    model, found = Whole(), {}

    def adds(path):
        def hook(module, given, result):
            found[path] = found.get(path, 0) + result.numel() * result.element_size()
        return hook

    for path, module in model.named_modules():
        if not list(module.children()):
            module.register_forward_hook(adds(path))
    with watch(model) as run:
        out = model(torch.randn(2, 5, 8))
    for call in run.calls:
        inside = [size for path, size in found.items() if f"{path}.".startswith(f"{call.inner}.")
                  or not call.inner]
        calls = 2 if call.inner.startswith("block") else 1
        assert call.activations == sum(inside) // calls
    closed = draw(out, view="modules", max_nodes=1)
    assert sum(found.values()) == run.calls[0].activations
    assert closed.picture.boxes
    words = lines_of(draw(out, view="modules"))["model.first"]
    assert f"activations: {found['first']} bytes" in words


def test_the_example_of_the_page_prints_what_is_below_it(torch, capsys, tmp_path):
    text = (ROOT / "docs" / "pictures.md").read_text(encoding="utf-8")
    code, printed = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL).groups()
    if torch.__name__ == "minigrad":
        code = code.replace("import torch", "import minigrad as torch")
    path = tmp_path / "example.py"
    path.write_text(code, encoding="utf-8")
    runpy.run_path(str(path))
    lines = [line for one in capsys.readouterr().out.splitlines()
             for line in textwrap.wrap(one, 118, subsequent_indent="    ")]
    assert "\n".join(lines) == printed.rstrip()


# ---------------------------------------------------------------- inputs, and what recorded nothing

def sources(drawing, title):
    boxes, arrows = drawing.picture.boxes, drawing.picture.arrows
    at = next(at for at, box in enumerate(boxes) if box.title == title)
    return [boxes[arrow.tail].title for arrow in arrows if arrow.head == at]


def test_inputs_have_the_names_of_forward_and_lead_to_what_takes_them(torch):
    class Two(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.image = torch.nn.Embedding(9, 4), torch.nn.Linear(3, 4)
            self.weight = torch.nn.Parameter(torch.ones(4, 4))

        def forward(self, tokens, images, scale=None):
            return self.words(tokens) @ self.weight + self.image(images[0]) * scale + images[1]

    model = Two()
    drawing = drawn(model, torch.tensor([1, 2]), [torch.randn(2, 3), torch.randn(2, 4)],
                    scale=torch.ones(2, 4))
    assert "tokens, input (2,)" in drawing.text and "scale, input (2, 4)" in drawing.text
    assert sources(drawing, "model.words") == ["tokens"]
    assert sources(drawing, "model.image") == ["images, part 1"]
    assert set(sources(drawing, "×")) == {"scale", "model.image"}
    assert "images, part 2, input (2, 4), no module takes it as it is" in drawing.text
    values = {box.title: "with a value that has no history" in box.lines for box in drawing.picture.boxes}
    assert not values["×"] and values["+"]  # of the second sum, which keeps neither of its terms


def test_a_frozen_part_is_drawn_and_not_counted(torch):
    model = torch.nn.Sequential(torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU()),
                                torch.nn.Linear(8, 3))
    model[0].requires_grad_(False)
    drawing = drawn(model, torch.randn(5, 4))
    words = lines_of(drawing)["model.0"]
    assert words[:3] == ["Sequential", "(5, 4) → (5, 8)", "40 parameters, frozen"]
    assert words[3:] == ["FLOPs not counted", "activations: 320 bytes"]
    assert sources(drawing, "model.0") == ["input"] and sources(drawing, "model.1") == ["model.0"]
    assert "2 calls of modules that recorded nothing" in drawing.text


def test_a_pass_without_gradients_says_so(torch):
    model = mlp(torch)
    with watch(model), torch.no_grad():
        out = model(torch.randn(5, 4))
    text = draw(out, view="modules").text
    assert "Nothing was recorded" in text and "constant out" in text


def test_without_a_watch_the_frames_are_guessed_and_the_picture_says_so(torch):
    model = mlp(torch)
    out = model(torch.randn(5, 4))
    text = draw(out, view="modules").text
    assert "model.0: Linear, (5, 8), 40 parameters, 320 FLOPs" in text
    assert "No call of a module was noted" in text and "activations" not in text


# ---------------------------------------------------------------- opened and closed

def test_blocks_are_closed_opened_and_folded_where_they_repeat(torch):
    model = torch.nn.Sequential(*(attention(torch) for _ in range(6)))
    with watch(model):
        out = model(torch.randn(2, 5, 8))
    one = 2 * 10 * 8 * 24 + 1600 + 2 * 10 * 8 * 8
    small = draw(out, view="modules")
    assert "then 5 more like model.0" in small.text and f"{5 * one:,} FLOPs" in small.text
    opened = draw(out, view="modules", max_nodes=None)
    frame = next(line for line in opened.text.splitlines() if line.startswith("Frame model.3"))
    assert f"{one:,} FLOPs" in frame and "304 parameters" in frame
    assert flops_in(small) == flops_in(opened) == 6 * one
    assert f"{one:,} FLOPs" in opened.svg


def test_arguments_that_have_no_place_here(torch):
    out = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(ValueError, match="facts of its own: leave out show"):
        draw(out, view="modules", show="memory")


# ---------------------------------------------------------------- names

@pytest.mark.parametrize("evil", [EVIL, "</td></table>><script>alert(1)</script>", "`<b>`\x00\u202e"])
def test_names_of_arguments_modules_and_classes_are_words(torch, evil):
    def forward(self, *given, **named):
        return self._modules[name](*given, *named.values())

    name = evil.replace(".", "")
    kind = type(evil.translate({0: None, 0xd800: None}), (torch.nn.Module,), {"forward": forward})
    model = kind()
    model._modules[name] = torch.nn.Linear(3, 3)
    with watch({evil: model}):
        out = model(**{evil: torch.randn(5, 3)})
    drawing = draw(out, view="modules", names={evil: model})
    page = drawing.forms()[".html"]().encode("utf-8").decode()
    assert not alive(page)
    assert not any(sign in page + drawing.text for sign in "\0\x1b\u202e\ud800")
    assert "<script" not in drawing.svg and "<img src=x" not in drawing.svg
    assert ElementTree.fromstring(drawing.svg) is not None
    assert any(box.lines[:1] == ["input (5, 3)"] for box in drawing.picture.boxes)


def test_no_function_of_the_program_runs_to_find_a_name(torch):
    ran = []

    class Signed:
        def __call__(self, x):
            return x * 2

        def __getattribute__(self, name):
            ran.append(name)
            return super().__getattribute__(name)

    class Odd(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(3, 3)
            object.__setattr__(self, "forward", Signed())

    model = Odd()
    text = drawn(model, torch.ones(2, 3, requires_grad=True)).text
    assert ran == [] and escaped(text)
