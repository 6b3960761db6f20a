"""Small programs with a gradient that is None, zero, NaN, doubled or huge, or a parameter that doesn't move.

Each ends in `told = why(...)`. `# here` marks the line that the answer must name; `says` is what it must say;
`mended` is the program with a fix applied, and ends in a condition that must hold.
"""
from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent

PROGRAMS: dict[str, Program] = {}
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


@dataclass
class Program:
    cause: str
    text: str
    says: tuple[str, ...]
    mended: str = ""


def program(name, cause, text, *says, mended=""):
    PROGRAMS[name] = Program(cause, START + dedent(text), says, mended and START + dedent(mended))


# --- cuts

program("data", "cut", """
    z = enc(X)
    loss = dec(z.data).sum()  # here
    loss.backward()
    told = why(enc.weight)
    """, "enc.weight.grad is None", "z went into loss through .data", mended="""
    opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=0.1)
    before = enc.weight.detach().clone()
    for _ in range(3):
        opt.zero_grad()
        z = enc(X)
        dec(z).sum().backward()
        opt.step()
    assert not enc.weight.equal(before)
    """)
program("detach", "cut", """
    z = enc(X).detach()  # here
    loss = F.mse_loss(dec(z), Y)
    loss.backward()
    told = why(enc.bias)
    """, "enc(X) went into loss through detach()", mended="""
    for _ in range(3):
        loss = F.mse_loss(dec(enc(X)), Y)
        loss.backward()
    assert enc.bias.grad.abs().sum() > 0
    """)
program("item", "cut", """
    out = (w * v).sum()
    loss = torch.tensor(out.item(), requires_grad=True)  # here
    loss.backward()
    told = why(w)
    """, "out went into loss through .item()", mended="""
    for _ in range(2):
        out = (w * v).sum()
        out.backward()
    assert w.grad.tolist() == [6, 8]
    """)
program("torch.tensor", "cut", """
    losses = []
    for scale in (1, 2):
        losses.append((w * scale).sum())
    total = torch.tensor(losses, requires_grad=True).sum()  # here
    total.backward()
    told = why(w)
    """, "went into total through torch.tensor()", mended="""
    for _ in range(2):
        losses = [(w * scale).sum() for scale in (1, 2)]
        torch.stack(losses).sum().backward()
    assert w.grad.tolist() == [6, 6]
    """)
program("no_grad", "cut", """
    with torch.no_grad():
        z = enc(X)  # here
    loss = dec(z).sum()
    loss.backward()
    told = why(enc.weight)
    """, "enc(X) went into loss under no_grad", mended="""
    for _ in range(2):
        z = enc(X)
        dec(z).sum().backward()
    assert enc.weight.grad is not None
    """)
program("numpy", "cut", """
    z = enc(X)
    array = z.detach().numpy()  # here
    loss = dec(torch.from_numpy(array)).sum()
    loss.backward()
    told = why(enc.weight)
    """, "z went into loss through detach()", mended="""
    for _ in range(2):
        dec(enc(X)).sum().backward()
    assert enc.weight.grad is not None
    """)
program("argmax", "cut", """
    scores = model(X)
    best = scores.argmax(0).float()  # here
    loss = (v * best).sum()
    loss.backward()
    told = why(model.weight)
    """, "scores went into loss as whole numbers", "which have no slope", mended="""
    for _ in range(2):
        scores = model(X)
        (v * (scores.softmax(0) * torch.arange(8.0).reshape(8, 1)).sum()).sum().backward()
    assert model.weight.grad.abs().sum() > 0
    """)
program("comparison", "cut", """
    right = ((w * v) > 3).float()  # here
    loss = (v * right).sum()
    loss.backward()
    told = why(w)
    """, "w went into loss as booleans", mended="""
    right = (w * v - 3).sigmoid()
    (v * right).sum().backward()
    assert w.grad.abs().sum() > 0
    """)
program("two assignments", "cut", """
    h = w * 2
    value = h.detach()  # here
    scaled = value + 1
    loss = (scaled * v).sum()
    loss.backward()
    told = why(w)
    """, "h went into loss through detach()")
program("function", "cut", """
    def encode(data):
        with torch.no_grad():
            return enc(data)  # here
    loss = dec(encode(X)).sum()
    loss.backward()
    told = why(enc.weight)
    """, "enc(data) went into loss under no_grad", mended="""
    def encode(data):
        return enc(data)
    for _ in range(2):
        dec(encode(X)).sum().backward()
    assert enc.weight.grad is not None
    """)
program("decorated function", "cut", """
    @torch.no_grad()
    def encode(data):
        return enc(data)  # here
    z = encode(X)
    loss = dec(z).sum()
    loss.backward()
    told = why(enc.weight)
    """, "enc(data) went into loss under no_grad")
program("parameter of a function", "cut", """
    def normal(h):
        return h.detach() / 2  # here
    z = enc(X)
    loss = dec(normal(z)).sum()
    loss.backward()
    told = why(enc.weight)
    """, "z went into loss through detach()")
program("forward of a model", "cut", """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.enc, self.dec = nn.Linear(3, 2), nn.Linear(2, 1)
        def forward(self, data):
            h = self.enc(data).detach()  # here
            return self.dec(h)
    net = Net()
    loss = net(X).sum()
    loss.backward()
    told = why(net.enc.weight)
    """, "self.enc(data) went into loss through detach()")
program("given loss", "cut", """
    z = enc(X)
    main, other = dec(z.detach()).sum(), z.sum()  # here
    told = why(enc.weight, main)
    """, "z went into main through detach()")
program("constant", "cut", """
    h = w * 2
    d = h.detach()  # here
    told = why(d)
    """, "d does not require a gradient: h went into d through detach()")

# --- None for other reasons

program("frozen", "frozen", """
    model.weight.requires_grad_(False)  # here
    loss = model(X).sum()
    loss.backward()
    told = why(model.weight)
    """, "model.weight does not require a gradient, so no pass computes one", mended="""
    model.weight.requires_grad_()
    model(X).sum().backward()
    assert model.weight.grad is not None
    """)
program("no backward", "no pass", """
    loss = model(X).sum()
    told = why(model.weight)
    """, "loss was computed from model.weight, and no pass has gone through", mended="""
    loss = model(X).sum()
    loss.backward()
    assert model.weight.grad is not None
    """)
program("inputs", "inputs", """
    loss = (w * v).sum()
    loss.backward(inputs=[v])  # here
    told = why(w)
    """, "fills the .grad of its inputs=v alone", mended="""
    loss = (w * v).sum()
    loss.backward(inputs=[v, w])
    assert w.grad.tolist() == [3, 4]
    """)
program("grad()", "grad()", """
    loss = (w * v).sum()
    slopes = torch.autograd.grad(loss, [w])  # here
    told = why(w)
    """, "was a grad()", "leaves .grad alone", mended="""
    loss = (w * v).sum()
    loss.backward()
    assert w.grad.tolist() == [3, 4]
    """)
program("emptied", "emptied", """
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        loss = F.mse_loss(model(X), Y)
        loss.backward()
        opt.step()
        opt.zero_grad()  # here
    told = why(model.weight)
    """, "a pass has gone through that graph", "was set to None")
program("not used", "not used", """
    loss = (v * 2).sum()
    loss.backward()
    told = why(w)
    """, "loss, on which backward() is called, was not computed from w")
program("new model", "replaced", """
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = model(X).sum()
    model = nn.Linear(3, 1)
    loss.backward()
    told = why(model.weight)
    """, "another leaf of the same shape, which no variable here holds", mended="""
    model = nn.Linear(3, 1)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = model(X).sum()
    loss.backward()
    assert model.weight.grad is not None
    """)
program("step by hand", "replaced", """
    for _ in range(1):
        loss = (w * v).sum()
        loss.backward()
        w = w - 0.1 * w.grad  # here
    told = why(w)
    """, "w is no longer the leaf", mended="""
    for _ in range(3):
        loss = (w * v).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
    assert w.grad.tolist() == [9, 12]
    """)
program("scaled leaf", "not a leaf", """
    p = torch.ones(2, requires_grad=True) * 0.1  # here
    loss = (p * v).sum()
    loss.backward()
    told = why(p)
    """, "p is no leaf", mended="""
    p = (torch.ones(2) * 0.1).requires_grad_()
    (p * v).sum().backward()
    assert p.grad.tolist() == [3, 4]
    """)
program("interior", "not a leaf", """
    h = w * v
    h.sum().backward()
    told = why(h)
    """, "h is no leaf: MulBackward0 made it", mended="""
    h = w * v
    h.retain_grad()
    h.sum().backward()
    assert h.grad.tolist() == [1, 1]
    """)

# --- zero

for kind in ("round", "floor", "sign"):
    program(kind, "zero", f"""
    h = (w * v).{kind}()  # here
    loss = h.sum()
    loss.backward()
    told = why(w)
    """, "Every number of w.grad is 0", f"{kind.title()}Backward0 (which made h)", "slope 0 everywhere",
            mended=f"""
    y = w * v
    (y + (y.{kind}() - y).detach()).sum().backward()
    assert w.grad.tolist() == [3, 4]
    """)
program("dead relu", "zero", """
    h = torch.relu(w - 10)  # here
    loss = (h * v).sum()
    loss.backward()
    told = why(w)
    """, "ReluBackward0 (which made h)", "none of its inputs is above 0", mended="""
    for _ in range(2):
        h = F.softplus(w - 10)
        (h * v).sum().backward()
    assert (w.grad != 0).all()
    """)
program("dead relu without a name", "zero", """
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    with torch.no_grad():
        net[0].bias.fill_(-100.0)
    loss = F.mse_loss(net(X), Y)
    loss.backward()
    told = why(net[0].weight)
    """, "ReluBackward0", "is the only operation between it and")
program("softmax over one class", "zero", """
    labels = torch.zeros(8, dtype=torch.int64)
    loss = F.cross_entropy(model(X), labels)  # here
    loss.backward()
    told = why(model.weight)
    """, "LogSoftmaxBackward0", "one class", "(8, 1)", mended="""
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        F.binary_cross_entropy_with_logits(model(X), torch.zeros(8, 1)).backward()
        opt.step()
    assert model.weight.grad.abs().sum() > 0
    """)
program("mask of zeros", "zero", """
    mask = torch.zeros(2)
    loss = (w * mask).sum()  # here
    loss.backward()
    told = why(w)
    """, "MulBackward0", "multiplies by zeros alone")
program("clamp", "zero", """
    h = (w * v).clamp(-1.0, 1.0)  # here
    loss = h.sum()
    loss.backward(retain_graph=True)
    told = why(w)
    """, "ClampBackward1 (which made h)", "none lies between its limits")

program("weight of zeros", "zero", """
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    with torch.no_grad():
        net[2].weight.zero_()
    loss = F.mse_loss(net(X), Y)  # here
    loss.backward()
    told = why(net[0].weight)
    """, "AddmmBackward0", "multiplies by zeros alone")
program("hook", "zero", """
    w.register_hook(lambda grad: grad * 0)
    loss = (w * v).sum()
    loss.backward()
    told = why(w)
    """, "don't tell where it became 0", "w has a hook (program.py:11, `w.register_hook")

# --- NaN, huge, doubled

program("sqrt of 0", "nan", """
    gap = w - w.detach()
    root = gap.sqrt()  # here
    loss = (root * 0).sum()
    loss.backward()
    told = why(w)
    """, "w.grad has 2 of 2 numbers that are NaN", "SqrtBackward0 (which made root)",
        "no finite slope where its result is 0", mended="""
    gap = w - w.detach()
    root = (gap + 1e-12).sqrt()
    (root * 0).sum().backward()
    assert w.grad.isfinite().all()
    """)
program("log under where", "nan", """
    p = torch.tensor([0.0, 0.5], requires_grad=True)
    loss = torch.where(p > 0, p.log(), 0.0 * p).sum()  # here
    loss.backward()
    told = why(p)
    """, "LogBackward0", "no finite slope where its input is 0", mended="""
    p = torch.tensor([0.0, 0.5], requires_grad=True)
    torch.where(p > 0, torch.log(p.clamp(min=1e-12)), 0.0 * p).sum().backward()
    assert p.grad.isfinite().all()
    """)
program("nan in the data", "nan", """
    data = torch.tensor([1.0, float("nan")])
    out = w * data  # here
    loss = out.sum()
    loss.backward()
    told = why(w)
    """, "the forward pass made the first one", "MulBackward0 (which made out)", "from data")
program("nan in a parameter", "nan", """
    with torch.no_grad():
        w[0] = float("nan")
    loss = (w * w).sum()
    loss.backward()
    told = why(w)
    """, "w itself contains NaN")
program("huge", "huge", """
    big = torch.tensor([1e9, 1.0])
    loss = (w * big).sum()  # here
    loss.backward()
    told = why(w)
    """, "The largest number of w.grad is 1e+09", "MulBackward0", "big", mended="""
    big = torch.tensor([1e9, 1.0]) / 1e9
    (w * big).sum().backward()
    torch.nn.utils.clip_grad_norm_([w], 1.0)
    assert w.grad.abs().max() <= 1
    """)
program("forgotten zero_grad", "doubled", """
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(3):
        loss = F.mse_loss(model(X), Y)
        loss.backward()  # here
        opt.step()
    told = why(model.weight)
    """, "sum over passes", "written to in place 2 times", mended="""
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(3):
        opt.zero_grad()
        loss = F.mse_loss(model(X), Y)
        loss.backward()
        opt.step()
    assert model.weight.grad._version == 0
    """)
program("zero_grad outside the loop", "doubled", """
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    opt.zero_grad()
    for _ in range(3):
        loss = F.mse_loss(model(X), Y)
        loss.backward()  # here
        opt.step()
    told = why(model.bias)
    """, "sum over passes")
program("backward twice", "doubled", """
    loss = (w * v).sum()
    loss.backward()
    loss = (w * v).sum()
    loss.backward()  # here
    told = why(w)
    """, "written to in place once")

# --- parameters that don't move

program("not in the optimizer", "no optimizer", """
    opt = torch.optim.SGD(enc.parameters(), lr=0.1)  # here
    for _ in range(2):
        opt.zero_grad()
        dec.zero_grad()
        loss = dec(enc(X)).sum()
        loss.backward()
        opt.step()
    told = why(dec.weight)
    """, "opt does not hold dec.weight", "so no step() of opt changes it", mended="""
    opt = torch.optim.SGD(enc.parameters(), lr=0.1)
    opt.add_param_group({'params': [dec.weight]})
    before = dec.weight.detach().clone()
    for _ in range(2):
        opt.zero_grad()
        dec(enc(X)).sum().backward()
        opt.step()
    assert not dec.weight.equal(before)
    """)
program("lr 0", "lr 0", """
    opt = torch.optim.SGD(model.parameters(), lr=0.0)  # here
    for _ in range(2):
        opt.zero_grad()
        loss = model(X).sum()
        loss.backward()
        opt.step()
    told = why(model.weight)
    """, "The learning rate of model.weight in opt", "is 0", mended="""
    opt = torch.optim.SGD(model.parameters(), lr=0.0)
    for group in opt.param_groups:
        group['lr'] = 0.01
    before = model.weight.detach().clone()
    for _ in range(2):
        opt.zero_grad()
        model(X).sum().backward()
        opt.step()
    assert not model.weight.equal(before)
    """)
program("zero_grad before step", "step without gradient", """
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        loss = model(X).sum()
        loss.backward()
        opt.zero_grad()
        opt.step()  # here
    told = why(model.weight)
    """, "never finds a gradient of model.weight", mended="""
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    before = model.weight.detach().clone()
    for _ in range(2):
        opt.zero_grad()
        model(X).sum().backward()
        opt.step()
    assert not model.weight.equal(before)
    """)
program("step before backward", "step without gradient", """
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        loss = model(X).sum()
        opt.step()  # here
        loss.backward()
    told = why(model.weight)
    """, "never finds a gradient of model.weight")
program("no step", "no step", """
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        loss = model(X).sum()
        loss.backward()
    told = why(model.weight)
    """, "no line here calls opt.step()")

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
    """, "2 finite numbers, the largest 4")
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
program("healthy, gradients added on purpose", "healthy", """
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        for part in (0, 1):
            loss = F.mse_loss(model(X[part::2]), Y[part::2])
            loss.backward()
        opt.step()
    told = why(model.weight)
    """, "nothing wrong was found", "each pass adds")
program("healthy relu", "healthy", """
    h = torch.relu(w)
    loss = (h * v).sum()
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
program("healthy, used many times", "healthy", """
    state = torch.zeros(8, 3)
    cell = nn.Linear(3, 3)
    for _ in range(6):
        state = torch.tanh(cell(state) + X)
    loss = state.sum()
    loss.backward()
    told = why(cell.weight)
    """, "cell.weight.grad is there, and nothing wrong was found: 9")
program("healthy, clipped", "healthy", """
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    def train():
        opt.zero_grad()
        F.mse_loss(model(X), Y).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.01)
        opt.step()
    for _ in range(2):
        train()
    told = why(model.weight)
    """, "nothing wrong was found")
program("healthy, emptied in a loop over parameters", "healthy", """
    opts = [torch.optim.SGD(enc.parameters(), lr=0.1), torch.optim.SGD(dec.parameters(), lr=0.1)]
    for _ in range(2):
        for p in [*enc.parameters(), *dec.parameters()]:
            if p.grad is not None:
                p.grad.zero_()
        loss = dec(enc(X)).sum()
        loss.backward()
        for opt in opts:
            opt.step()
    told = why(enc.weight)
    """, "nothing wrong was found")
program("emptied, and the loss measured again", "emptied", """
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    out = model(X)
    loss = F.mse_loss(out, Y)
    loss.backward()
    opt.step()
    opt.zero_grad()  # here
    with torch.no_grad():
        loss = F.mse_loss(model(X), Y)
    told = why(model.weight)
    """, "out was computed from model.weight, and a pass has gone through that graph")
