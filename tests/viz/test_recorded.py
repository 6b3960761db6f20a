"""Training inside functions: the graph is gone, and what the watch wrote down answers."""
import inspect

import pytest

from minigrad.viz import watch, why
from tests.helpers.verdicts import verdicts


def step(torch, model, optimizer):
    optimizer.zero_grad()
    loss = model(torch.ones(3, 2)).square().mean()
    loss.backward()
    optimizer.step()


def net_of(torch, forward):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.extra = (torch.nn.Linear(2, 2) for _ in range(3))

    Net.forward = forward
    return Net()


def cut_by_detach(model, x):
    return model.b(model.a(x).tanh().detach())


def under_no_grad(torch):
    def forward(model, x):
        with torch.no_grad():
            x = model.a(x)
        return model.b(x)
    return forward


def watched(torch, forward, held=lambda model: model.parameters()):
    model = net_of(torch, forward)
    optimizer = torch.optim.SGD(held(model), lr=0.1)
    with watch(model, optimizer) as run:
        step(torch, model, optimizer)
        step(torch, model, optimizer)
    return model, run


def test_a_cell_that_runs_often_is_told_the_same(torch):
    for _ in range(15):
        model, _ = watched(torch, cut_by_detach)
    assert "through detach() (test_recorded.py:" in why(model.a.weight).text


def test_a_cut_has_its_line_and_its_word(torch):
    model, run = watched(torch, cut_by_detach)
    told = why(model.a.weight)
    line = inspect.getsourcelines(cut_by_detach)[1] + 1
    assert told.cause == "cut"
    assert f"through detach() (test_recorded.py:{line}, " in told.sentences[0]
    assert [one.cause for one in run.verdicts] == ["cut", "not used"]
    assert "none of the variables" not in run.text and "Nothing wrong" not in run.text


def test_one_fix_gives_an_optimizer_all_that_it_lacks_and_names_what_they_take(torch):
    model = net_of(torch, lambda model, x: model.b(model.a(x)))
    optimizer = torch.optim.AdamW(model.a.parameters(), lr=0.1, weight_decay=0.25)
    with watch(model, optimizer):
        step(torch, model, optimizer)
    told = why(model.b.weight)
    assert told.cause == "no optimizer" and "torch.optim.AdamW(model.a" in told.sentences[0]
    assert "model.b.weight, model.b.bias" in told.fixes[0].words
    assert "lr=0.1, weight_decay=0.25" in told.fixes[0].price
    assert why(model.a.weight).cause == "healthy"


def embed(torch, model, x):
    with torch.no_grad():
        return torch.stack([model.a.weight.sum() * x, x])


def test_the_line_that_switches_recording_off_is_named():
    torch = pytest.importorskip("torch")                # minigrad's functions note no mode
    model, _ = watched(torch, lambda model, x: model.b(embed(torch, model, x)[0]))
    told = why(model.a.weight)
    line = inspect.getsourcelines(embed)[1] + 1
    assert told.cause == "cut" and f"It is switched off (test_recorded.py:{line}, " in str(told)
    assert "Remove what switches recording off" in told.fixes[0].words


def test_frozen_features_are_meant(torch):
    model, run = watched(torch, under_no_grad(torch), lambda model: model.b.parameters())
    assert run.verdicts == []


@pytest.mark.parametrize("spoil", ["ones_like", "detach"])
def test_what_takes_the_shape_alone_or_a_number_to_print_is_no_cut(torch, spoil):
    def forward(model, x):
        h = model.a(x)
        _ = torch.ones_like(h) if spoil == "ones_like" else h.detach()
        return model.b(h)

    model, run = watched(torch, forward)
    assert [one.cause for one in verdicts(model)] == ["not used"]
