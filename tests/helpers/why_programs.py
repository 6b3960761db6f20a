"""Small programs with a gradient that is None, zero, NaN, doubled or huge, or a parameter that doesn't move.

Each ends in `told = why(...)`. `# here` marks the line that the answer must name; `says` is what it must say.
`fixes` are the fixes that it offers, in their order, as edits of the text: what to replace by what. A fix
WATCH runs the program under `watch()`.
"""
from __future__ import annotations

from textwrap import dedent, indent
from typing import NamedTuple

START = """
import math
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
X, Y = torch.randn(8, 3), torch.randn(8, 1)
model = nn.Linear(3, 1)
enc, dec = nn.Linear(3, 2), nn.Linear(2, 1)
w = torch.tensor([1.0, 2.0], requires_grad=True)
v = torch.tensor([3.0, 4.0], requires_grad=True)
"""
WATCH = {}


class Program(NamedTuple):
    cause: str
    text: str
    says: tuple[str, ...]
    fixes: list[dict[str, str]]
    fixed: str  # the cause that is found once a fix is applied

    def mended(self, fix):
        if fix == WATCH:
            return START + "with watch():\n" + indent(self.text.removeprefix(START), "    ")
        text = self.text
        for old, new in fix.items():
            assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in the program"
            text = text.replace(old, new)
        return text


PROGRAMS: dict[str, Program] = {}


def program(name, cause, text, *says, fixes=(), fixed="healthy"):
    PROGRAMS[name] = Program(cause, START + dedent(text), says, fixes, fixed)


# --- cuts

program("detach", "cut", """
    z = enc(X).detach()  # here
    loss = F.mse_loss(dec(z), Y)
    loss.backward()
    told = why(enc.bias)
    """, "enc(X) went into loss through detach()", fixes=[{".detach()": ""}])
program("item", "cut", """
    out = (w * v).sum()
    loss = torch.tensor(out.item(), requires_grad=True)  # here
    loss.backward()
    told = why(w)
    """, "out went into loss through .item()", fixes=[
        {"torch.tensor(out.item(), requires_grad=True)": "out"}])
program("torch.tensor", "cut", """
    losses = []
    for scale in (1, 2):
        losses.append((w * scale).sum())
    total = torch.tensor(losses, requires_grad=True).sum()  # here
    total.backward()
    told = why(w)
    """, "went into total through torch.tensor()", fixes=[
        {"torch.tensor(losses, requires_grad=True)": "torch.stack(losses)"}])
program("no_grad", "cut", """
    with torch.no_grad():
        z = enc(X)  # here
    loss = dec(z).sum()
    loss.backward()
    told = why(enc.weight)
    """, "enc(X) went into loss under no_grad", fixes=[{"with torch.no_grad():\n    ": ""}])
program("argmax", "cut", """
    scores = model(X)
    best = scores.argmax(0).float()  # here
    loss = (v * best).sum()
    loss.backward()
    told = why(model.weight)
    """, "scores went into loss as whole numbers", "which have no slope", fixes=[
        {"scores.argmax(0).float()": "(scores.softmax(0) * torch.arange(8.0).reshape(8, 1)).sum(0)"}])
program("given loss", "cut", """
    z = enc(X)
    main, other = dec(z.detach()).sum(), z.sum()  # here
    told = why(enc.weight, main)
    """, "z went into main through detach()", fixes=[{".detach()": ""}], fixed="no pass")
program("constant", "cut", """
    h = w * 2
    d = h.detach()  # here
    told = why(d)
    """, "d does not require a gradient: h went into d through detach()", fixes=[{".detach()": ""}],
        fixed="not a leaf")

# --- None for other reasons

program("frozen", "constant", """
    model.weight.requires_grad_(False)
    loss = model(X).sum()
    loss.backward()
    told = why(model.weight)
    """, "model.weight does not require a gradient, so no pass computes one", fixes=[
        {"loss = ": "model.weight.requires_grad_()\nloss = "}])
program("whole numbers", "constant", """
    n = torch.tensor([1, 2])
    loss = (n * v).sum()
    loss.backward()
    told = why(n)
    """, "n does not require a gradient", fixes=[{"loss = ": "n = n.float().requires_grad_()\nloss = "}])
program("no backward", "no pass", """
    loss = model(X).sum()
    told = why(model.weight)
    """, "loss was computed from model.weight, and no pass has gone through", fixes=[
        {"told": "loss.backward()\ntold"}])
program("inputs", "inputs", """
    loss = (w * v).sum()
    loss.backward(inputs=[v])  # here
    told = why(w)
    """, "fills the .grad of its inputs=v alone", fixes=[{"[v]": "[v, w]"}])
program("grad()", "grad()", """
    loss = (w * v).sum()
    slopes = torch.autograd.grad(loss, [w])  # here
    told = why(w)
    """, "was a grad()", "leaves .grad alone", fixes=[
        {"slopes = torch.autograd.grad(loss, [w])": "loss.backward()"}])
program("emptied", "emptied", """
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        loss = F.mse_loss(model(X), Y)
        loss.backward()
        opt.step()
        opt.zero_grad()  # here
    told = why(model.weight)
    """, "a pass has gone through that graph", "was set to None", fixes=[
        {"    opt.zero_grad()  # here\ntold = why(model.weight)":
         "    told = why(model.weight)\n    opt.zero_grad()"}])
program("not used", "not used", """
    loss = (v * 2).sum()
    loss.backward()
    told = why(w)
    """, "no recorded operation leads from w to loss, on which backward() is called",
        fixes=[{"v * 2": "v * w"}])
program("not used at all", "not used", """
    told = why(w)
    """, "none of the variables here was computed from it", fixes=[
        {"told": "loss = (w * v).sum()\nloss.backward()\ntold"}])
program("step by hand", "replaced", """
    for _ in range(1):
        loss = (w * v).sum()
        loss.backward()
        w = w - 0.1 * w.grad  # here
    told = why(w)
    """, "w is no longer the leaf", fixes=[
        {"w = w - 0.1 * w.grad": "with torch.no_grad():\n        w -= 0.1 * w.grad"}])
program("scaled leaf", "not a leaf", """
    p = torch.ones(2, requires_grad=True) * 0.1
    loss = (p * v).sum()
    loss.backward()
    told = why(p)
    """, "p is not a leaf: MulBackward0 made it", fixes=[
        {"loss = ": "p.retain_grad()\nloss = "},
        {"torch.ones(2, requires_grad=True) * 0.1":
         "(torch.ones(2, requires_grad=True) * 0.1).detach().requires_grad_()"}])
program("lost in a Function", "None on the way", """
    class Lose(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2
        @staticmethod
        def backward(ctx, grad): return None
    with watch():
        loss = Lose.apply(w).sum()  # here
        loss.backward()
    told = why(w)
    """, "LoseBackward", "received a gradient and returned None", fixes=[{"return None": "return grad * 2"}])

# --- zero

for kind in ("round", "floor", "sign"):
    program(kind, "zero", f"""
    h = (w * v).{kind}()  # here
    loss = h.sum()
    loss.backward()
    told = why(w)
    """, "Every number of w.grad is 0", f"{kind.title()}Backward0 (which made h)", "slope 0 everywhere",
            fixes=[{f"h = (w * v).{kind}()": f"y = w * v\nh = y + (y.{kind}() - y).detach()"}])
program("dead relu", "zero", """
    h = torch.relu(w - 10)  # here
    loss = (h * v).sum()
    loss.backward()
    told = why(w)
    """, "ReluBackward0 (which made h)", "none of its inputs is above 0", fixes=[
        {"torch.relu": "F.softplus"}])
program("dead relu, watched", "zero", """
    with watch():
        loss = (torch.relu(w - 5) * 2).sum()  # here
        loss.backward()
    told = why(w)
    """, "was not 0 yet when it arrived at ReluBackward0", "but all 0 when it left", fixes=[
        {"torch.relu": "F.softplus"}])
program("softmax over one class", "zero", """
    labels = torch.zeros(8, dtype=torch.int64)
    loss = F.cross_entropy(model(X), labels)  # here
    loss.backward()
    told = why(model.weight)
    """, "LogSoftmaxBackward0", "over dimension 1", "(8, 1)", fixes=[
        {"F.cross_entropy(model(X), labels)":
         "F.binary_cross_entropy_with_logits(model(X), labels.float().reshape(8, 1))"}])
program("hook", "zero", """
    w.register_hook(lambda grad: grad * 0)
    loss = (w * v).sum()
    loss.backward()
    told = why(w)
    """, "don't tell where it became 0", "w has a hook (", "which may change the gradient", fixes=[WATCH],
        fixed="MulBackward0")

# --- NaN, huge, doubled

program("sqrt of 0", "nan", """
    gap = w - torch.tensor([1.0, 0.0])
    root = gap.sqrt()  # here
    loss = (root * 0.5).sum()
    loss.backward()
    told = why(w)
    """, "w.grad has 1 of 2 numbers that are NaN", "SqrtBackward0 (which made root)",
        "no finite slope where its input is 0", fixes=[{"gap.sqrt()": "gap.clamp(min=1e-12).sqrt()"}])
program("sqrt of 0, without a name", "nan", """
    loss = ((w - w.detach()).sqrt() * 0.5).sum()
    loss.backward()
    told = why(w)
    """, "don't tell where the first one was made", fixes=[WATCH], fixed="SqrtBackward0")
program("log under where", "nan", """
    p = torch.tensor([0.0, 0.5], requires_grad=True)
    loss = torch.where(p > 0, p.log(), 0.0 * p).sum()  # here
    loss.backward()
    told = why(p)
    """, "LogBackward0", "no finite slope where its input is 0, as 1 of its 2 numbers is", fixes=[
        {"p.log()": "torch.where(p > 0, p, 1.0).log()"}])
program("nan in one of two uses", "nan", """
    with watch():
        bad = (w - w.detach()).sqrt()  # here
        loss = (bad * 0.5).sum() + w.exp().sum()
        loss.backward()
    told = why(w)
    """, "SqrtBackward0 (which made bad)", fixes=[{"(w - w.detach())": "(w - w.detach()).clamp(min=1e-12)"}])
program("nan in the data", "nan", """
    data = torch.tensor([1.0, float("nan")])
    out = w * data  # here
    loss = out.sum()
    loss.backward()
    told = why(w)
    """, "the forward pass made the first one", "MulBackward0 (which made out)", fixes=[
        {'float("nan")': "2.0"}])
program("nan in a parameter", "nan", """
    with torch.no_grad():
        w[0] = float("nan")
    loss = (w * w).sum()
    loss.backward()
    told = why(w)
    """, "w itself contains NaN", fixes=[{'float("nan")': "2.0"}])
program("huge", "huge", """
    big = torch.tensor([1e9, 1.0])
    loss = (w * big).sum()
    loss.backward()
    told = why(w)
    """, "The norm of w.grad is 1e+09: the values that are still known don't tell where it grew", fixes=[
        WATCH, {"told": "torch.nn.utils.clip_grad_norm_([w], 1.0)\ntold"}], fixed="MulBackward0")
program("huge, from many factors", "huge", """
    h = w
    with watch():
        for _ in range(30):
            h = h * 2
        loss = h.sum()
        loss.backward()
    told = why(w)
    """, "no single operation made it so", fixes=[
        {"told": "torch.nn.utils.clip_grad_norm_([w], 1.0)\ntold"}])
program("forgotten zero_grad", "not emptied", """
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(3):
        loss = F.mse_loss(model(X), Y)
        loss.backward()  # here
        opt.step()
    told = why(model.weight)
    """, "Nothing empties model.weight.grad between one backward()",
        "watch() tells which pass added to it", fixes=[
        {"loss.backward()": "opt.zero_grad()\n    loss.backward()"}])
program("forgotten zero_grad, watched", "doubled", """
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    with watch():
        for _ in range(2):
            loss = F.mse_loss(model(X), Y)
            loss.backward()  # here
            opt.step()
    told = why(model.weight)
    """, "added to the gradient that an earlier one had left there", fixes=[
        {"loss.backward()": "opt.zero_grad()\n        loss.backward()"}])
program("backward twice", "not emptied", """
    loss = (w * v).sum()
    loss.backward()
    loss = (w * v).sum()
    loss.backward()  # here
    told = why(w)
    """, "Nothing empties w.grad between one backward()", fixes=[
        {"loss.backward()  # here": "w.grad = None\nloss.backward()"}])

# --- parameters that don't move

program("not in the optimizer", "no optimizer", """
    opt = torch.optim.SGD(enc.parameters(), lr=0.1)  # here
    before = dec.weight.detach().clone()
    for _ in range(2):
        opt.zero_grad()
        dec.zero_grad()
        loss = dec(enc(X)).sum()
        loss.backward()
        opt.step()
    told = why(dec.weight)
    moved = not dec.weight.equal(before)
    """, "No optimizer here holds dec.weight, so no step() changes it; opt", fixes=[
        {"before =": "opt.add_param_group({'params': [dec.weight]})\nbefore =", "moved =": "assert"}])
program("the optimizer of another model", "no optimizer", """
    base, other = torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)
    opt = torch.optim.SGD(base.parameters(), lr=0.1)  # here
    before = other.weight.detach().clone()
    for _ in range(3):
        opt.zero_grad()
        loss = other(X).sum()
        loss.backward()
        opt.step()
    told = why(other.weight)
    moved = not other.weight.equal(before)
    """, "No optimizer here holds other.weight, so no step() changes it; opt", fixes=[
        {"before =": "opt.add_param_group({'params': [other.weight, other.bias]})\nbefore =",
         "moved =": "assert"}])
program("zero_grad once in an epoch", "not emptied", """
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(2):
        opt.zero_grad()
        for at in range(3):
            loss = F.mse_loss(model(X), Y)
            loss.backward()  # here
            opt.step()
    told = why(model.weight)
    """, "Nothing empties model.weight.grad between one backward()", fixes=[
        {"loss.backward()": "opt.zero_grad()\n        loss.backward()"}])
program("no step", "no step", """
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    before = model.weight.detach().clone()
    for _ in range(2):
        opt.zero_grad()
        loss = model(X).sum()
        loss.backward()
    told = why(model.weight)
    moved = not model.weight.equal(before)
    """, "no line calls opt.step()", fixes=[
        {"loss.backward()": "loss.backward()\n    opt.step()", "moved =": "assert"}])

# --- nothing is wrong

program("healthy loop", "healthy", """
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        opt.zero_grad()
        loss = F.mse_loss(model(X), Y)
        loss.backward()
        opt.step()
    told = why(model.weight)
    """, "model.weight.grad is there, and nothing wrong was found", "opt holds model.weight with lr 0.1")
program("healthy once", "healthy", """
    loss = (w * v).sum()
    loss.backward()
    told = why(w)
    """, "its norm is 5")
program("healthy by hand", "healthy", """
    for _ in range(3):
        loss = (w * v).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            w.grad.zero_()
    loss = (w * v).sum()
    loss.backward()
    told = why(w)
    """, "nothing wrong was found")
program("healthy retained", "healthy", """
    h = w * v
    h.retain_grad()
    loss = (h * h.detach()).sum()
    loss.backward()
    told = why(h)
    """, "h.grad is there")
program("healthy, a hook on another tensor of that name", "healthy", """
    y = v.exp()
    y.register_hook(lambda grad: grad * 0)
    y = w.tanh()
    y.retain_grad()
    loss = y.sum()
    loss.backward()
    told = why(y)
    assert "hook" not in told.text
    """, "y.grad is there, and nothing wrong was found")
