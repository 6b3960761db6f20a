"""A program that was mended, and is watched again with the same model: what was said before is over."""
import pytest

from tests.viz import test_losses, test_masks_and_noise, test_mixed_axes
from tests.viz.test_why import BACKENDS, run

LOOP = """
torch.manual_seed(0)
model, other, X = torch.nn.Linear(3, 4), torch.nn.Linear(4, 2), torch.randn(5, 3)
opt = torch.optim.SGD([*model.parameters(), *other.parameters()], lr=0.01)
with watch([model, other], opt) as run:
    for step in range(3):
        opt.zero_grad()
        {code}
        loss.backward()
        opt.step()
"""
PAIRS = {  # broken and mended code of one loop
    "cut": ("loss = other(model(X).detach()).pow(2).mean()", "loss = other(model(X)).pow(2).mean()"),
    "without a gradient": ("loss = other(torch.relu(model(X)) * 0).pow(2).mean()",
                           "loss = other(model(X)).pow(2).mean()"),
    "saturated": ("loss = other(torch.tanh(model(X) + 1e3)).pow(2).mean()",
                  "loss = other(torch.tanh(model(X))).pow(2).mean()"),
    "a constant in the loss": ("y = other(model(X)); loss = y.pow(2).mean() + 0.1 * y.detach().abs().mean()",
                               "y = other(model(X)); loss = y.pow(2).mean() + 0.1 * y.abs().mean()"),
    "rounded": ("loss = other(model(X).round()).pow(2).mean()", "loss = other(model(X)).pow(2).mean()"),
}


def programs():
    for name, (broken, mended) in PAIRS.items():
        yield pytest.param(LOOP.format(code=broken), LOOP.format(code=mended), id=name)
    for module in (test_mixed_axes, test_masks_and_noise):
        for name, (code, *_, edits) in module.BROKEN.items():
            mended = code
            for old, new in edits.items():
                mended = mended.replace(old, new)
            made = [module.START.format(code=one, before="") for one in (code, mended)]
            yield pytest.param(*made, id=name)


def again(backend, broken, mended):
    head, _, _ = broken.partition("with watch(")
    _, watched, loop = mended.partition("with watch(")
    return run(backend, f"{broken}\nbefore = run\n{watched}{loop}") if head else {}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("broken, mended", list(programs()))
def test_nothing_is_said_of_what_was_mended(backend, broken, mended):
    found = again(backend, broken, mended)
    assert found["before"].verdicts and not found["run"].verdicts, found["run"].text
    told = run(backend, "told = why(model)", model=found["model"])["told"]
    assert "nothing wrong was found" in told.text, told.text


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PAIRS)
def test_what_a_watch_saw_is_not_said_of_the_gradients_of_passes_after_it(backend, name):
    broken, mended = (LOOP.format(code=one) for one in PAIRS[name])
    _, _, loop = mended.partition("as run:")
    told = run(backend, f"{broken}\nfor again in range(1):{loop}\ntold = why(model)")["told"]
    assert "nothing wrong was found" in told.text, told.text


@pytest.mark.parametrize("name", test_losses.PROGRAMS)
def test_nothing_is_said_of_a_loss_that_was_mended(name):
    pytest.importorskip("torch")
    opt, loss, _, edits, _ = test_losses.PROGRAMS[name]
    mended = loss
    for old, new in dict(edits).items():
        mended = mended.replace(old, new)
    found = again("torch", *(test_losses.START.format(opt=opt, loss=one) for one in (loss, mended)))
    assert found["before"].verdicts and not found["run"].verdicts, found["run"].text
