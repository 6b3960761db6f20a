"""Networks: whose operation is whose, which call it was of, and the compact form that fits on a page."""

import re
from types import SimpleNamespace

import pytest

from minigrad.viz import draw
from minigrad.viz.drawing.image import width
from minigrad.viz.graph.node_records import note
from minigrad.viz.graph.walk import in_forward_order, is_accumulate

NEARLY = 800  # points: a network that is a little wider than a page of 715 pixels shrinks to it


def frames(drawing):
    """The operations of each frame, by its words."""
    boxes = drawing.picture.boxes
    found = {}
    for line in drawing.text.splitlines():
        if line.startswith("Frame "):
            words, _, held = line.removeprefix("Frame ").partition(": ")
            places = [int(at) for at in re.findall(r"n(\d+)", held)]
            found[words] = [boxes[at].title for at in places if boxes[at].kind == "op"]
    return found


def tabs(drawing):
    """What stands on each operation: its name, and the first words of its parameters."""
    return [(box.title, [weight.tensor.name for weight in box.weights])
            for box in drawing.picture.boxes if box.weights]


def net(torch, parts, forward):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name, part in parts.items():
                setattr(self, name, part)

        def forward(self, x):
            return forward(self, x)

    return Net()


# ---------------------------------------------------------------- whose operation it is

def embedded(torch, tied):
    parts = {"emb": torch.nn.Embedding(9, 4), "mid": torch.nn.Linear(4, 4),
             "norm": torch.nn.LayerNorm(4), "head": torch.nn.Linear(4, 9, bias=False)}
    model = net(torch, parts,
                lambda self, ids: self.head(torch.tanh(self.norm(self.mid(self.emb(ids))))))
    if tied:
        model.head.weight = model.emb.weight
    return model


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("show", ["", "leaves"])
def test_a_net_that_begins_with_an_embedding_has_right_frames(torch, tied, show):
    model = embedded(torch, tied)
    out = model(torch.tensor([1, 2, 3]))
    found = frames(draw(out, show=show))
    assert list(found) == ["model.emb (Embedding)", "model.mid (Linear)", "model.norm (LayerNorm)",
                           "model.head (Linear)"] or show
    assert found["model.emb (Embedding)"] == ["EmbeddingBackward0"]
    assert set(found["model.mid (Linear)"]) - {"TBackward0"} == {"AddmmBackward0"}
    assert found["model.norm (LayerNorm)"] == ["NativeLayerNormBackward0"]
    assert set(found["model.head (Linear)"]) - {"TBackward0"} == {"MmBackward0"}


def test_both_uses_of_a_tied_weight_say_so(torch):
    model = embedded(torch, True)
    out = model(torch.tensor([1, 2, 3]))
    text = draw(out).text
    emb, head = (next(line for line in text.splitlines() if title in line)
                 for title in ("EmbeddingBackward0", "MmBackward0"))
    assert "parameter weight (9, 4), 2 uses, tied to model.head.weight" in emb
    assert re.search(r"parameter weight \(9, 4\).*, 2 uses, tied to model\.emb\.weight", head)
    assert "leaf model.emb.weight, shape (9, 4), tied to model.head.weight" in draw(out, show="leaves").text
    assert "tied" not in draw(embedded(torch, False)(torch.tensor([1]))).text


def test_a_layer_that_is_called_twice_has_a_frame_for_each_call(torch):
    model = net(torch, {"a": torch.nn.Linear(2, 3), "mid": torch.nn.Linear(3, 3), "b": torch.nn.Linear(3, 1)},
                lambda self, x: self.b(torch.relu(self.mid(torch.relu(self.mid(self.a(x)))))))
    found = frames(draw(model(torch.ones(1, 2))))
    assert list(found) == ["model.a (Linear)", "model.mid, call 1 of 2 (Linear)",
                           "model.mid, call 2 of 2 (Linear)", "model.b (Linear)"]
    assert all(titles == ["AddmmBackward0"] for titles in found.values())


def gan(torch):
    G, D = (torch.nn.Sequential(torch.nn.Linear(size, 5), torch.nn.ReLU(), torch.nn.Linear(5, out))
            for size, out in ((2, 4), (4, 1)))
    fake = G(torch.ones(3, 2))
    fd = fake.detach()
    lossD, lossG = D(torch.ones(3, 4)).mean() - D(fd).mean(), D(fake).mean()
    return {"G": G, "D": D, "fake": fake, "fd": fd, "lossD": lossD, "lossG": lossG}


def test_two_heads_are_one_call(torch):
    parts = {"a": torch.nn.Linear(3, 1), "b": torch.nn.Linear(3, 1)}
    heads = net(torch, parts, lambda self, x: (self.a(x), self.b(x)))
    body = torch.nn.Linear(2, 3)
    one, other = heads(body(torch.ones(1, 2)))
    assert {"heads (Net)", "body (Linear)"} == set(frames(draw(one + other)))


# ---------------------------------------------------------------- recorded calls

def recorded(path, number, outer=None, kind="Net"):
    chain, key = ((*outer.chain, path), (*outer.key, number)) if outer else ((path,), (number,))
    return SimpleNamespace(path=path, number=number, outer=outer, kind=kind, chain=chain, key=key,
                           outputs=((1, 3),), parameters=9, frozen=0, saved=None, seconds=0.0012,
                           grad_out=SimpleNamespace(norm=0.5), grad_in=None)


def test_recorded_calls_decide(torch):
    model = net(torch, {"a": torch.nn.Linear(2, 3), "b": torch.nn.Linear(3, 3), "c": torch.nn.Linear(3, 3)},
                lambda self, x: self.c(torch.tanh(self.b(torch.relu(self.a(x)).exp()))))
    out = model(torch.ones(1, 2)).sum()
    outer = recorded("model", 1)
    block = recorded("model.block", 2, outer, "Block")
    for node in in_forward_order([out.grad_fn]):
        if is_accumulate(node):
            continue
        inside = node.name() in ("ReluBackward0", "ExpBackward0")
        note(node, place=None, **({} if node is out.grad_fn else {"call": block if inside else outer}))
    found = frames(draw(out))
    assert found == {"model.block (Block)": ["ReluBackward0", "ExpBackward0"]}
    folded = draw(out, max_nodes=8, show="-leaves").text
    assert "model.block: Block, (1, 3), 9 parameters, saves " in folded
    assert "gradient 0.5, 1.2 ms; behind it" in folded
    calls = [recorded("model.relu", number, outer, "ReLU") for number in (3, 4)]
    for node in in_forward_order([out.grad_fn]):
        if node.name() in ("ReluBackward0", "ExpBackward0"):
            note(node, call=calls[node.name() == "ExpBackward0"])
    assert "model.relu, call 2 of 2 (ReLU)" in frames(draw(out))


# ---------------------------------------------------------------- compact

def mlp(torch, widths=(3, 4, 5, 2)):
    parts = [part for size, out in zip(widths, widths[1:])
             for part in (torch.nn.Linear(size, out), torch.nn.Tanh())]
    return torch.nn.Sequential(*parts[:-1])


def test_parameters_of_a_network_stand_on_their_operations(torch):
    model = mlp(torch)
    loss = model(torch.ones(2, 3)).sum()
    drawing = draw(loss)
    assert tabs(drawing) == [("AddmmBackward0", [f"model.{at}.weight", f"model.{at}.bias"])
                             for at in (0, 2, 4)]
    assert not [box for box in drawing.picture.boxes if box.kind in ("leaf", "accumulate")]
    assert drawing.text.startswith("Graph behind loss, engine view: 6 leaves, 6 operations, 1 constant.")
    assert ("operation AddmmBackward0, (2, 4); next functions: None (n0); parameter weight (4, 3), through "
            "TBackward0, .grad None; parameter bias (4,), .grad None; saved: mat1 (2, 3)") in drawing.text
    loss.backward()
    assert "parameter bias (4,), .grad filled; saved: mat1 (freed)" in draw(loss).text
    full = draw(loss, show="leaves")
    assert len([box for box in full.picture.boxes if box.kind == "accumulate"]) == 6


def test_a_folded_module_says_its_class_shape_parameters_and_bytes(torch):
    model = torch.nn.Sequential(mlp(torch), mlp(torch, (2, 6, 6, 6, 7)))
    drawing = draw(model(torch.ones(2, 3)).sum(), max_nodes=8)
    (line,) = [line for line in drawing.text.splitlines() if "model.1: " in line]
    # The input (2, 2) and three results of tanh (2, 6), each also an input: 160 bytes of numbers, each once.
    assert "model.1: Sequential, (2, 7), 151 parameters, saves 160 bytes; behind it" in line


# ---------------------------------------------------------------- on a page


def vae(torch):
    parts = {name: torch.nn.Linear(*size) for name, size in
             {"enc": (6, 5), "mu": (5, 2), "logvar": (5, 2), "dec": (2, 6)}.items()}

    def forward(self, x):
        h = torch.relu(self.enc(x))
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + (logvar * 0.5).exp() * torch.ones(2)
        return torch.sigmoid(self.dec(z)).sum() - (1 + logvar - mu ** 2 - logvar.exp()).mean()
    return net(torch, parts, forward), torch.ones(3, 6)


def attention(torch):
    size = {"q": (4, 4), "k": (4, 4), "v": (4, 4), "out": (4, 9)}
    parts = {"emb": torch.nn.Embedding(9, 4), **{name: torch.nn.Linear(*both) for name, both in size.items()}}

    def forward(self, ids):
        x = self.emb(ids)
        scores = torch.softmax(self.q(x) @ self.k(x).T, 1)
        return self.out(scores @ self.v(x) + x)
    return net(torch, parts, forward), torch.tensor([1, 2, 3])


@pytest.mark.parametrize("made", [vae, attention])
def test_a_network_is_as_wide_as_a_page_and_runs_down_from_its_inputs(torch, made):
    model, data = made(torch)
    loss = model(data).sum()
    drawing = draw(loss)
    assert width(drawing.svg) <= NEARLY
    assert drawing.picture.network and "rankdir=TB" in drawing.dot


def test_two_losses_fit_on_a_page(torch):
    held = gan(torch)
    drawing = draw([held["lossD"], held["lossG"]], names=held)
    assert width(drawing.svg) <= NEARLY
