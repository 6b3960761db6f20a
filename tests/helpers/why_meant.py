"""What the programs of why_programs.py and why_causes.py were meant to compute, written down in another way.

`MEANT[name]` is a text that runs after START and ends with the gradients (or the weights) that are meant.
Each fix is applied, and what `GOT` names, or else the `.grad` of the tensor that was asked
for, has to be equal.
"""
from __future__ import annotations

from textwrap import dedent

LOSS = "torch.autograd.grad({}, [{}])"
MEANT: dict[str, str] = {}
GOT: dict[str, str] = {}


def meant(text: str, *names: str, got: str = "") -> None:
    for name in names:
        MEANT[name] = dedent(text)
        if got:
            GOT[name] = got


def slope(loss: str, of: str, *names: str, before: str = "") -> None:
    """The gradient is that of an expression, by grad()."""
    meant(dedent(before) + f"\nmeant, = {LOSS.format(loss, of)}", *names)


slope("dec(enc(X)).sum()", "enc.weight", "no_grad")
slope("F.mse_loss(dec(enc(X)), Y)", "enc.bias", "detach")
slope("(w * v).sum()", "w", "item", "grad()", "inputs", "not used", "not used at all", "hook")
slope("(w + w + w).sum()", "w", "torch.tensor")
slope("(v * ((model(X).softmax(0) * torch.arange(8.0).reshape(8, 1)).sum(0))).sum()", "model.weight",
      "argmax")
slope("model(X).sum()", "model.weight", "frozen", "no backward")
meant("meant = v.detach()", "whole numbers")
meant("meant = w.detach() - 0.1 * v.detach()", "step by hand", got="w")
meant("meant = v.detach()", "scaled leaf")
meant("meant = torch.full((2,), 2.0)", "lost in a Function")
meant("meant = v.detach()", "round", "floor", "sign")
meant("meant = v.detach() * torch.sigmoid(w.detach() - 10)", "dead relu")
meant("meant = 2 * torch.sigmoid(w.detach() - 5)", "dead relu, watched")
meant("""
    p = torch.sigmoid(model(X).detach())
    meant = (p * X).mean(0).reshape(1, 3)  # the slope of -log(1 - p)
    """, "softmax over one class")
meant("meant = torch.tensor([0.0, 0.5 / (2 * 2 ** 0.5)])", "sqrt of 0")
meant("meant = torch.tensor([0.0, 2.0])", "log under where")
meant("meant = w.detach().exp()", "nan in one of two uses")
meant("meant = torch.tensor([1.0, 2.0])", "nan in the data")
meant("meant = torch.tensor([4.0, 4.0])", "nan in a parameter")
MEANT["sqrt of 0"] = "meant = torch.tensor([0.0, 0.5 / (2 * 2 ** 0.5)])"
TRAIN = """
opt = torch.optim.SGD(model.parameters(), lr={})
for _ in range({}):
    opt.zero_grad()
    F.mse_loss(model(X), Y).backward()
    opt.step()
meant = model.weight
"""
meant(TRAIN.format(0.01, 3), "forgotten zero_grad",
      got="model.weight")
meant(TRAIN.format(0.01, 6), "zero_grad once in an epoch", got="model.weight")
meant(TRAIN.format(0.01, 2), "forgotten zero_grad, watched", "learning rate 0", got="model.weight")
meant(TRAIN.format(0.1, 3), "zero_grad before step", got="model.weight")
meant(TRAIN.format(0.1, 2), "best weights", "emptied", got="model.weight")
meant("meant = v.detach()", "backward twice")
meant("""
    for _ in range(2):
        ws = [*enc.parameters(), dec.weight]
        for p, g in zip(ws, torch.autograd.grad(dec(enc(X)).sum(), ws)):
            p.data = p.data - 0.1 * g
    meant = dec.weight
    """, "not in the optimizer", got="dec.weight")
meant("""
    base, other = torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)
    opt = torch.optim.SGD(other.parameters(), lr=0.1)
    for _ in range(3):
        opt.zero_grad()
        other(X).sum().backward()
        opt.step()
    meant = other.weight
    """, "the optimizer of another model", got="other.weight")
meant("""
    for _ in range(2):
        for p, g in zip(model.parameters(), torch.autograd.grad(model(X).sum(), list(model.parameters()))):
            p.data = p.data - 0.1 * g
    meant = model.weight
    """, "no step", got="model.weight")

# --- why_causes.py

slope("(model(X) ** 2).sum()", "model.weight", "item, kept in a list")
meant("meant = 0.3 * v.detach()", "equal value, without text")
meant("meant = 2 * w.detach()", "data written between")
slope("(model(X) * model(X)).sum() + (model.weight ** 2).sum()", "model.weight",
      "data of parameters written between")
meant("meant = model.weight.detach().clone()", "frozen, with a stale gradient", got="model.weight")
meant("""
    layers, last = [nn.Linear(3, 3), nn.Linear(3, 1)], nn.Linear(1, 1)
    loss = lambda: F.mse_loss(last(layers[1](layers[0](X))), Y)
    ws = [p for one in (*layers, last) for p in one.parameters()]
    for _ in range(2):
        for p, g in zip(ws, torch.autograd.grad(loss(), ws)):
            p.data = p.data - 0.1 * g
    meant, = torch.autograd.grad(loss(), [layers[0].weight])
    """, "list of layers")
meant("""
    last, scale = nn.Linear(3, 1), torch.ones(3, requires_grad=True)
    slopes, = torch.autograd.grad(F.mse_loss(last(X * scale), Y), [scale])
    meant = 1 - 0.1 * slopes
    """, "tensor that is no parameter", got="net.scale")
meant("""
    tied = nn.Linear(3, 1)
    meant = 2 * X.sum(0).reshape(1, 3)
    """, "two leaves in one memory")
EACH = {  # where fixes mean different programs: a text for each
    "two leaves in one memory": ["meant = X.sum(0).reshape(1, 3)", MEANT["two leaves in one memory"]]}
LABELS = "labels = torch.tensor([0, 1, 0, 1, 0, 1, 0, 1])\n"
meant(LABELS + "p = torch.softmax(enc(X), 1).detach() - torch.nn.functional.one_hot(labels, 2).float()\n"
      "meant = p.T @ X / 8", "softmax before cross-entropy", "no logarithm")
meant("""
    net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.Linear(4, 1))
    for _ in range(2):
        ws = list(net.parameters())
        for p, g in zip(ws, torch.autograd.grad(F.mse_loss(net(X), Y), ws)):
            p.data = p.data - 0.1 * g
    meant = net[0].weight
    """, "dropout in evaluation", got="net[0].weight")
meant("meant = torch.sigmoid(torch.tensor([-1.0, -2.0]))", "dead relu of a leaf")
meant("meant = v.detach() / 10", "clamped away")
meant("""
    p = torch.sigmoid(w.detach())
    meant = 2 * (p - 0.5) * p * (1 - p)
    """, "saturated sigmoid")
meant("meant = torch.full((2,), 500.0)", "saturated sigmoid before its loss")
meant("meant = v.detach() / 2 * (1 - torch.tanh(w.detach() / 2) ** 2)", "almost saturated")
meant("meant = torch.tensor([0.25, 0.0])", "where with sqrt")
meant("meant = torch.tensor([-1.5, 0.0])", "where with a division")
meant("""
    scores = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    meant = torch.tensor([[1.0, 0.0], [0.5, 0.5]])  # nothing flows into what is masked, but to the factor
    """, "a row that is masked")
meant("meant = torch.ones(2)", "the loss alone is NaN")
meant("meant = 2 * w.detach().exp()", "lost in a Function, not watched")
meant("""
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        (model(X).mean() - model(Y * X).mean()).backward()
        opt.step()
    meant = model.weight
    """, "doubled, a discriminator that is never emptied", got="model.weight")
meant("meant = torch.full((2,), 2.0)", "recording switched off")
meant("""
    net = nn.Linear(3, 1)
    slopes, = torch.autograd.grad(F.mse_loss(net(X), Y), [net.weight])
    meant = net.weight - 0.01 * slopes
    """, "a trainer with the rate 0", got="t.net.weight")
UNMEASURED = {  # fixes that change what is asked for in a way that no other program can tell
    "given loss": "no pass is run", "constant": "d becomes a computed tensor",
    "huge": "the length is a choice",
    "huge, from many factors": "the length is a choice",
    "huge, from one weight used often": "the length is a choice",
    "vanishing": "another network",
    "shared memory, without text": "no pass is run"}
