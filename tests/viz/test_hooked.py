"""A hook whose result is refused: its name, its line, where it returns, and its place in the picture."""
from __future__ import annotations

import functools

import pytest

from minigrad.viz import explain, watch


class Balancer:
    def __init__(self, size):
        self.size = size

    def __call__(self, grad):
        if self.size:
            return grad.sum()  # of the object
        return grad.double()

    def limited(self, grad):
        return grad[:1]  # of the method


def halved(grad, by):
    return grad[:, :1] / by  # of the function


def kept(grad):
    return grad * 1


averaged = lambda grad: grad.mean(0)

HOOKS = {
    "Balancer.__call__": (lambda: Balancer(True), "# of the object"),
    "Balancer.limited": (lambda: Balancer(True).limited, "# of the method"),
    "halved": (lambda: functools.partial(halved, by=2), "# of the function"),
    "<lambda>": (lambda: averaged, "averaged ="),
}


def explained(torch, hook, place):
    """What is said of a pass through two hooks, of which the one at `place` is refused."""
    nn = torch.nn
    torch.manual_seed(0)
    first, second = nn.Linear(5, 3), nn.Linear(3, 2)

    def ran():
        h = first(torch.randn(4, 5)).tanh()
        y = second(h)
        at = {"h": h, "y": y, "weight": first.weight, "loss": (loss := y.pow(2).sum())}
        for name, one in at.items():
            one.register_hook(hook if name == place else kept)
        loss.backward()

    with pytest.raises((RuntimeError, TypeError)) as caught, watch([first, second]):
        ran()
    return explain(caught.value)


def marked(shown):
    return [line for line in shown.text.splitlines() if "[! problem]" in line]


@pytest.mark.parametrize("place, node", [("h", "TanhBackward0"), ("y", "AddmmBackward0"),
                                         ("weight", "first.weight")])
@pytest.mark.parametrize("name", HOOKS)
def test_a_watch_tells_which_hook_it_was(torch, name, place, node):
    make, returns = HOOKS[name]
    shown = explained(torch, make(), place)
    assert shown.cause == "hook: size"
    assert f"called the hook {name}" in shown.text.replace("test_hooked.", ""), shown.text
    assert "(registered in test_hooked.py:" in shown.sentences[0]
    assert "one.register_hook(" in shown.sentences[0]
    assert "It returns in" in shown.sentences[1] or "It is written in" in shown.sentences[1]
    assert returns in shown.sentences[1]
    found = marked(shown)
    assert found and all(node in line for line in found if "AccumulateGrad" not in line), found


def test_another_type_and_another_dtype(torch):
    shown = explained(torch, Balancer(False), "h")
    assert shown.cause == "hook: dtype" and "the hook Balancer.__call__ (" in shown.text
    assert any("TanhBackward0" in line for line in marked(shown))
    shown = explained(torch, lambda grad: 3.0, "y")
    assert shown.cause == "hook: type" and "a value of type float" in shown.text
    assert any("AddmmBackward0" in line for line in marked(shown))


def test_without_a_watch_only_what_is_known_is_said(torch):
    """PyTorch doesn't say which hook it was: those of tensors that are gone can't be seen."""
    net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())

    def result(x):
        h = net(x)
        h.register_hook(Balancer(True))
        return h.exp()

    with pytest.raises(RuntimeError) as caught:
        result(torch.ones(4, 3)).sum().backward()
    shown = explain(caught.value)
    exact = torch.__name__ == "minigrad"
    assert ("the hook Balancer.__call__" in shown.text) is exact
    assert any("Relu" in line for line in marked(shown)) is exact
    assert exact or not marked(shown)


def test_a_hook_of_a_tensor_that_is_there_is_named_without_a_watch(torch):
    w = torch.ones(3, requires_grad=True)
    w.register_hook(functools.partial(lambda grad, by: grad[:by], by=2))
    with pytest.raises(RuntimeError) as caught:
        w.exp().sum().backward()
    assert "the hook <lambda>" in explain(caught.value).text
    assert any("AccumulateGrad" in line for line in marked(explain(caught.value)))
