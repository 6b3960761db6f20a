"""Batches taken as time, inverted masks, rows of padding that count: found, and silent on neighbours."""
from __future__ import annotations

import pytest

from tests.viz.test_why import run

START = """
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {layers}
    def forward(self, x):
        {forward}
model = Model()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
X = {data}
with watch(model, opt) as run:
    for step in range(4):
        opt.zero_grad()
        out = model(X)
        loss = {loss}
        loss.backward()
        opt.step()
told = why(model)
"""
CLASSES = "F.cross_entropy(out, torch.arange(len(out)) % 3)"
ROWS = "torch.randn(10, 6, 8)"
ENCODER = ("self.core = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16{}), 1, "
           "enable_nested_tensor=False)")


def of(layers, forward, data, loss=CLASSES):
    pytest.importorskip("torch")
    body = "\n        "
    return run("torch", START.format(layers=layers.replace("; ", body), forward=forward.replace("; ", body),
                                     data=data, loss=loss))


HEAD = "; self.head = nn.Linear(8, 3)"
FIRST = {  # name: (layers, edit, forward)
    "LSTM, last step": ("self.core = nn.LSTM(8, 8)" + HEAD, ("LSTM(8, 8", "LSTM(8, 8, batch_first=True"),
                        "out, _ = self.core(x); return self.head(out[:, -1])"),
    "GRU, in a Sequential": ("self.core = nn.GRU(8, 8, 2); self.head = nn.Sequential(nn.Linear(8, 3))",
                             ("GRU(8, 8, 2", "GRU(8, 8, 2, batch_first=True"),
                             "return self.head(self.core(x)[0][:, x.shape[1] - 1, :])"),
    "encoder, first token": (ENCODER.format("") + HEAD, ("8, 2, 16", "8, 2, 16, batch_first=True"),
                             "return self.head(self.core(x)[:, 0])"),
}


@pytest.mark.parametrize("name", FIRST)
def test_a_batch_that_is_taken_as_time(name):
    layers, (old, new), forward = FIRST[name]
    text = of(layers, forward, ROWS)["run"].text
    assert "batch as time: model.core" in text, text
    assert "(10, 6, 8) it takes 10 for the steps in time" in text, text
    assert "`batch_first=True`" in text
    fixed = of(layers.replace(old, new), forward, ROWS)
    assert "Nothing wrong" in fixed["run"].text, fixed["run"].text
    X = fixed["X"].clone()
    fixed["model"].eval()
    before = fixed["model"](X)[0]
    X[1:] = 0
    assert before.allclose(fixed["model"](X)[0], atol=1e-5)  # rows don't mix any more


@pytest.mark.parametrize("layers, forward, loss", [
    ("self.core = nn.LSTM(8, 8)" + HEAD, "return self.head(self.core(x)[0][-1])", CLASSES),
    ("self.core = nn.GRU(8, 8)" + HEAD, "return self.head(self.core(x)[0])",
     "F.cross_entropy(out.flatten(0, 1), torch.arange(60) % 3)"),
    ("self.core = nn.LSTM(8, 8)" + HEAD, "return self.head(self.core(x.transpose(0, 1))[0][-1])", CLASSES),
    ("self.core = nn.RNN(8, 8)" + HEAD, "return self.head(self.core(x[:, :1])[0][:, 0])", CLASSES),
    (ENCODER.format("") + HEAD, "return self.head(self.core(x).mean(0))", CLASSES)])
def test_layers_that_take_time_first_on_purpose(layers, forward, loss):
    assert "Nothing wrong" in (text := of(layers, forward, ROWS, loss)["run"].text), text


TOKENS = ("torch.where(torch.arange(6) < torch.arange(2, 12)[:, None] % 5 + 2, "
          "torch.arange(60).view(10, 6) % 9 + 1, 0)")
MASKED = {
    "attention": ("self.embed = nn.Embedding(10, 8, padding_idx=0); self.core = nn.MultiheadAttention(8, 2, "
                  "batch_first=True)" + HEAD,
                  "h = self.embed(x); a, _ = self.core(h, h, h, key_padding_mask={}); "
                  "return self.head((h + a)[:, 0])"),
    "encoder with places": (
        "self.embed = nn.Embedding(10, 8, padding_idx=0); self.place = nn.Parameter(torch.randn(6, 8)); "
        + ENCODER.format(", batch_first=True") + HEAD,
        "h = self.embed(x) + self.place; return self.head(self.core(h, src_key_padding_mask={})[:, 0])"),
}
PADS = TOKENS.replace("% 5 + 2", "% 5 + 1")


@pytest.mark.parametrize("name", MASKED)
def test_a_mask_that_leaves_padding_alone(name):
    layers, forward = MASKED[name]
    text = of(layers, forward.format("x != 0"), PADS)["run"].text
    assert "inverted mask: In each of 4 calls that were looked at, model.core (program.py:1" in text, text
    assert "attended to padding alone: of 60 keys its " in text and "left 30, and exactly these" in text
    repaired = of(layers, forward.format("~(x != 0)"), PADS)["run"].text
    assert "Nothing wrong" in repaired, repaired
    for mask in ("None", "torch.zeros_like(x, dtype=torch.bool)", "x % 3 == 0", "(x == 0).float() * -1e9"):
        text = of(layers, forward.format(mask), PADS)["run"].text
        assert "inverted mask" not in text, text


FACT = "gets no gradient, as padding_idx=0"
IDS = "torch.arange(60) % 10"
BAG = "self.embed = nn.Embedding(10, 8{}); self.head = nn.Linear(8, 3)"


@pytest.mark.parametrize("layers, forward, loss", [
    (BAG, "return self.head(self.embed(x))", CLASSES),
    ("self.embed = nn.Embedding(10, 3{})", "return self.embed(x) * 2",
     "(out - torch.arange(1, 61)[:, None]).pow(2).mean()")])
def test_a_row_of_padding_that_counts_is_told_as_a_fact(layers, forward, loss):
    found = of(layers.format(", padding_idx=0"), forward, IDS, loss)
    for text in (found["run"].text, found["told"].text):
        assert f"Row 0 of model.embed.weight {FACT}" in text and "that id was 24 of 240" in text, text
        assert "Nothing else was found" in text
    fixed = of(layers.format(""), forward, IDS, loss)
    assert FACT not in fixed["run"].text and fixed["model"].embed.weight.grad[0].norm() > 0


@pytest.mark.parametrize("layers, forward, data", [
    (BAG, "return self.head(self.embed(x).mean(1))", TOKENS),
    (BAG, "return self.head(self.embed(x) * (x != 0)[:, None])", IDS),
    (BAG, "return self.head(self.embed(x))", "torch.arange(60) % 9 + 1"),
    (BAG, "return self.head(self.embed(x.flatten()).view(10, 6, 8).sum(1) * 0 + self.embed(x[:, 0] * 0 + 1))",
     TOKENS)])
def test_padding_that_is_meant_is_no_fact(layers, forward, data):
    text = of(layers.format(", padding_idx=0"), forward, data)["run"].text
    assert FACT not in text and "Nothing wrong" in text, text
