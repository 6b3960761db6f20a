"""Views that move no axis, softmax over an axis that is not summed, and means that are divided again."""
from __future__ import annotations

from itertools import permutations, product

import pytest

from minigrad.viz import watch
from minigrad.viz.graph.mixed_axes import _moved
from tests.viz.test_why import BACKENDS, run

START = """
torch.manual_seed(0)
nn = torch.nn
X = torch.randn(4, 5, 6)
model, keys, parts = nn.Linear(6, 6), nn.Linear(6, 7), nn.Linear(6, 3)
{before}
opt = torch.optim.SGD(model.parameters(), lr=0.01)
with watch(model, opt) as run:
    for step in range(2):
        opt.zero_grad()
        h = model(X)
        {code}
        loss.backward()
        opt.step()
"""
# name: (the code, the cause, the words, what the fix replaces it by)
BROKEN = {
    "heads": (
        "r = h.view(4, 3, 5, 2); loss = (r @ r.transpose(-2, -1)).tanh().sum()", "mixed axes",
        "gives numbers of the shape (4, 5, 6) the shape (4, 3, 5, 2) without moving an axis",
        {".view(4, 3, 5, 2)": ".reshape(4, 5, 3, 2).transpose(1, 2)"}),
    "heads, and back": (
        "r = h.view(4, 5, 3, 2).transpose(1, 2); a = (r @ r.transpose(-2, -1)) @ r; "
        "loss = a.reshape(4, 5, 6).tanh()[0].sum()",
        "mixed axes", "gives numbers of the shape (4, 3, 5, 2) the shape (4, 5, 6)",
        {".reshape(4, 5, 6)": ".transpose(1, 2).reshape(4, 5, 6)"}),
    "batch and time": (
        "loss = h.reshape(5, 4, 6)[-1].tanh().sum()", "mixed axes", "the shape (5, 4, 6) without moving",
        {".reshape(5, 4, 6)": ".permute(1, 0, 2)"}),
    "the last states of two directions": (
        "last = torch.stack([h[:, 0], h[:, 1]]).view(4, 12); loss = last.tanh()[0].sum()", "mixed axes",
        "gives numbers of the shape (2, 4, 6) the shape (4, 12)",
        {".view(4, 12)": ".transpose(0, 1).reshape(4, 12)"}),
    "attention": (
        "w = torch.softmax((h @ h.transpose(-2, -1)) / 2, 1); loss = (w @ h).tanh().sum()", "softmax's axis",
        "is taken over dim 1 of weights of the shape (4, 5, 5), but BmmBackward0", {"2, 1)": "2, dim=-1)"}),
    "attention over other keys": (
        "k = h[:, :3] * 2; w = torch.softmax(h @ k.transpose(-2, -1), dim=-2); loss = (w @ k).tanh().sum()",
        "softmax's axis", "is taken over dim 1 of weights of the shape (4, 5, 3)", {"dim=-2": "dim=-1"}),
    "a graph's attention": (
        "e = h[..., :1] + h[..., 1:2].transpose(-2, -1); loss = (torch.softmax(e, 1) @ h).tanh().sum()",
        "softmax's axis", "sums over their last axis", {"(e, 1)": "(e, dim=-1)"}),
    "a mean": (
        "loss = h.pow(2).mean() / 120", "divided again",
        "divides by 120 what is already the mean of 120 numbers", {" / 120": ""}),
    "a mean with a penalty": (
        "loss = (-torch.sigmoid(h[:, 0, 0]).log().mean() + 0.1 * h.pow(2).sum()) / len(h)", "divided again",
        "divides by 4 what is already the mean of 4 numbers", {" / len(h)": ""}),
}
HEALTHY = {
    "heads": "r = h.view(4, 5, 3, 2).transpose(1, 2); a = r @ r.transpose(-2, -1) @ r; "
             "loss = a.transpose(1, 2).reshape(4, 5, 6).sum()",
    "as many heads as places": "r = h[:, :3].reshape(4, 3, 3, 2); loss = r.tanh().sum()",
    "all in one": "loss = h.view(20, 6).tanh().sum() + h.flatten(1).tanh().sum() + h.reshape(-1).sum()",
    "one of a kind": "loss = h[:1].reshape(5, 1, 6).tanh().sum()",
    "groups of channels, mixed on purpose":
        "loss = h.view(4, 5, 2, 3).transpose(2, 3).reshape(4, 5, 6).tanh().sum()",
    "places of two": "r = h[:, :4]; loss = r.reshape(4, 2, 2, 6).tanh().sum() + r.reshape(4, 2, 12).sum()",
    "attention": "w = torch.softmax((h @ h.transpose(-2, -1)) / 2, -1); loss = (w @ h).tanh().sum()",
    "a soft assignment": "s = torch.softmax(parts(h), -1); loss = (s.transpose(-2, -1) @ h).tanh().sum()",
    "parts that compete for places":
        "w = torch.softmax(h[:, :3] @ h.transpose(-2, -1), 1); w = w / w.sum(-1, keepdim=True); "
        "loss = (w @ h).tanh().sum()",
    "linear attention":
        "c = torch.softmax(keys(h), 1).transpose(-2, -1) @ h; "
        "loss = (torch.softmax(keys(h), -1) @ c).tanh().sum()",
    "a mean over some": "loss = h.pow(2).mean() / 20 + h.pow(2).mean(1).sum() / 5",
    "a sum": "loss = h.pow(2).sum() / 120",
    "a part of a step":
        "[(model(x).pow(2)[0, :2].mean() / 12).backward() for x in X.repeat(3, 1, 1)]; loss = h.sum() * 0.1",
}


def of(backend, code, before=""):
    return run(backend, START.format(code=code, before=before))["run"]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", BROKEN)
def test_what_is_on_another_axis_is_found_and_its_fix_helps(backend, name):
    code, cause, words, edits = BROKEN[name]
    found = of(backend, code)
    assert [one.cause for one in found.verdicts] == [cause] and words in found.text, found.text
    for old, new in edits.items():
        assert old in code
        code = code.replace(old, new)
        assert new == "" or new.partition("dim")[0] in found.text or "dim=-1" in found.text
    assert "Nothing wrong was found" in of(backend, code).text, code


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", HEALTHY)
def test_what_looks_alike_and_is_meant(backend, name):
    assert not of(backend, HEALTHY[name]).verdicts, of(backend, HEALTHY[name]).text


@pytest.mark.parametrize("code, fix", [
    ("c(X).view(4, -1, 2)", ".permute(0, 2, 3, 1).reshape(4, 120, 2)"),
    ("torch.relu(c(X)).reshape(-1, 8)", ".permute(0, 2, 3, 1).reshape(120, 8)"),
    ("n(c(X)).view(4, 5, 6, 8)", ".permute(0, 2, 3, 1)"),
    ("c(X).flatten(2)", ""), ("c(X).flatten(1)", ""), ("c(X).view(4, 8, 30)", ""),
    ("c(X).view(4, -1, 6)", ""),
    ("c(X).permute(0, 2, 3, 1).reshape(4, -1, 2)", ""), ("c(X).view(4, 4, 2, 5, 6).sum(1)", ""),
    ("c(X).view(32, 5, 6)", ""), ("p(c(X)).view(4, 8)", "")])
def test_channels_that_a_view_does_not_bring_to_the_end(code, fix):
    pytest.importorskip("torch")
    made = ("X = X[:, None]; c, n = nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8); "
            "p = nn.AdaptiveAvgPool2d(1); model = nn.ModuleList([c])\nmodel.forward = lambda X: X")
    found = of("torch", f"loss = ({code}).tanh()[0].sum()", made)
    assert (f"take `{fix}`" in found.text) == bool(fix) == bool(found.verdicts), found.text


def test_the_calls_of_a_fix_give_the_shape_and_other_numbers():
    np = pytest.importorskip("numpy")
    torch = __import__("minigrad")
    for given, made in [((4, 5, 6), (4, 3, 5, 2)), ((4, 3, 5, 2), (4, 5, 6)), ((4, 5, 6), (5, 4, 6)),
                        ((2, 7, 3), (7, 6)), ((4, 5, 6, 7), (4, 6, 7, 5)), ((3, 4, 6), (3, 2, 4, 3))]:
        x = torch.from_numpy(np.arange(np.prod(given)).reshape(given))
        moved = eval(f"x{_moved(given, made, None)}")
        assert tuple(moved.shape) == made and not torch.equal(moved, x.reshape(made)), (given, made)


def test_no_view_that_splits_or_joins_neighbours_is_accused():
    sizes = (2, 3, 5, 7, 11)
    for given in permutations(sizes, 3):
        a, b, c = given
        whole = [(a * b, c), (a, b * c), (a * b * c,), (1, a, b, c), (a, 1, b, c), (a, b, 1, c), (a, b, c, 1)]
        for made in whole:
            assert not _moved(given, made, None) and not _moved(made, given, None), (given, made)


@pytest.mark.parametrize("first", [True, False])
def test_what_pytorch_s_own_attention_does_with_equal_sizes_is_meant(first):
    """It views (length, batch, heads * size) as (length, batch * heads, size), and back."""
    torch = pytest.importorskip("torch")
    for length, batch, heads, size in product((2, 3, 4), (2, 3, 4), (2, 3), (2, 4)):
        model = torch.nn.TransformerEncoderLayer(heads * size, heads, 4, batch_first=first)
        with watch(model) as run:
            model(torch.randn(batch, length, heads * size)).pow(2).mean().backward()
        assert all(one.cause not in ("mixed axes", "softmax's axis") for one in run.verdicts), run.text
