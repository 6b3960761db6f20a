"""More programs for `why`: causes found by facts, such as shared memory, modes and an optimizer's groups.

They are written as in why_programs.py, and enter the same table.
"""
from __future__ import annotations

from tests.helpers.why_programs import program

# --- values that left

program("item, kept in a list", "cut", """
    losses = []
    for row in X:
        losses.append((model(row) ** 2).sum().item())  # here
    loss = torch.tensor(sum(losses), requires_grad=True)
    loss.backward()
    told = why(model.weight)
    """, "went into loss through .item()", fixes=[
        {".sum().item()": ".sum()", "torch.tensor(sum(losses), requires_grad=True)": "sum(losses)"}])
program("equal value, without text", "cut", """
    h = w * 0.3
    copied = eval("torch.tensor(h.tolist(), requires_grad=True)")
    loss = (copied * v).sum()
    loss.backward()
    told = why(w)
    """, "h went into loss as numbers alone, where an equal value begins that has no history", fixes=[
        {'eval("torch.tensor(h.tolist(), requires_grad=True)")': "h"}])
program("shared memory, without text", "cut", """
    h = w * 0.3
    loss = (eval("h.detach()") * v).sum()
    told = why(w, loss)
    """, "h went into loss without its history, which keeps its memory as a constant", fixes=[
        {'eval("h.detach()")': "h"}], fixed="no pass")
program("data written between", "written", """
    loss = (w * w).sum()
    w.data *= 2  # here
    loss.backward()
    told = why(w)
    """, "w was written to through .data", "computed with the new numbers", fixes=[
        {"w.data *= 2  # here\nloss.backward()": "loss.backward()\nw.data *= 2"}])
program("data of parameters written between", "written", """
    loss = (model(X) * model(X)).sum() + (model.weight ** 2).sum()
    for p in model.parameters():
        p.data.mul_(0.5)  # here
    loss.backward()
    told = why(model.weight)
    """, "model.weight was written to through .data", fixes=[
        {"for p in model.parameters():\n    p.data.mul_(0.5)  # here\nloss.backward()":
         "loss.backward()\nfor p in model.parameters():\n    p.data.mul_(0.5)"}])

# --- the optimizer

program("frozen, with a stale gradient", "stale", """
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    model(X).sum().backward()
    model.weight.requires_grad_(False)
    opt.step()
    told = why(model.weight)
    """, "doesn't require a gradient any more, but model.weight.grad still holds one", fixes=[
        {"requires_grad_(False)": "requires_grad_(False)\nmodel.weight.grad = None"}], fixed="constant")
program("zero_grad before step", "emptied early", """
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        loss = F.mse_loss(model(X), Y)
        loss.backward()
        opt.zero_grad()
        opt.step()  # here
    told = why(model.weight)
    """, "found nothing in model.weight.grad, as it had been emptied", fixes=[
        {"opt.zero_grad()\n    opt.step()  # here": "opt.step()\n    opt.zero_grad()"}], fixed="emptied")
program("learning rate 0", "no rate", """
    opt = torch.optim.SGD(model.parameters(), lr=0.0)  # here
    for _ in range(2):
        opt.zero_grad()
        loss = F.mse_loss(model(X), Y)
        loss.backward()
        opt.step()
    told = why(model.weight)
    """, "with the learning rate 0", fixes=[{"lr=0.0": "lr=0.01"}])
program("list of layers", "not registered", """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = [nn.Linear(3, 3), nn.Linear(3, 1)]  # here
            self.last = nn.Linear(1, 1)
        def forward(self, data):
            for layer in self.layers:
                data = layer(data)
            return self.last(data)
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        loss = F.mse_loss(net(X), Y)
        loss.backward()
        opt.step()
        for layer in net.layers:
            layer.zero_grad()
    loss = F.mse_loss(net(X), Y)
    loss.backward()
    told = why(net.layers[0].weight)
    """, "net.layers is a list", "net.layers[0].weight is none of the parameters of net", fixes=[
        {"[nn.Linear(3, 3), nn.Linear(3, 1)]": "nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 1)])"}],
        fixed="healthy")
program("tensor that is no parameter", "not registered", """
    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = torch.ones(3, requires_grad=True)  # here
            self.last = nn.Linear(3, 1)
        def forward(self, data):
            return self.last(data * self.scale)
    net = Scale()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    opt.zero_grad()
    loss = F.mse_loss(net(X), Y)
    loss.backward()
    opt.step()
    told = why(net.scale)
    """, "net.scale is a tensor that is no nn.Parameter", fixes=[
        {"torch.ones(3, requires_grad=True)": "nn.Parameter(torch.ones(3))"}])
program("two leaves in one memory", "two leaves", """
    tied = nn.Linear(3, 1)
    tied.weight.data = model.weight.data
    loss = (model(X) + tied(X)).sum()
    loss.backward()
    told = why(model.weight)
    """, "model.weight and tied.weight are two leaves in the same memory", fixes=[
        {"tied.weight.data = model.weight.data": "tied.weight.data = model.weight.data.clone()"},
        {"tied.weight.data = model.weight.data": "model.weight = tied.weight"}])
program("best weights", "no copy", """
    import copy
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        loss = F.mse_loss(model(X), Y)
        loss.backward()
        best = model.state_dict()  # here
        opt.step()
    told = why(model.weight)
    """, "is no copy of model.weight: it is in the same memory", fixes=[
        {"best = model.state_dict()": "best = copy.deepcopy(model.state_dict())"}])

# --- networks

program("softmax before cross-entropy", "twice", """
    labels = torch.tensor([0, 1, 0, 1, 0, 1, 0, 1])
    p = torch.softmax(enc(X), 1)
    loss = F.cross_entropy(p, labels)  # here
    loss.backward()
    told = why(enc.weight)
    """, "LogSoftmaxBackward0", "softmax is taken twice", fixes=[{"torch.softmax(enc(X), 1)": "enc(X)"}])
program("no logarithm", "no logarithms", """
    labels = torch.tensor([0, 1, 0, 1, 0, 1, 0, 1])
    p = torch.softmax(enc(X), 1)
    loss = F.nll_loss(p, labels)  # here
    loss.backward()
    told = why(enc.weight)
    """, "without a logarithm", fixes=[{"torch.softmax(enc(X), 1)": "torch.log_softmax(enc(X), 1)"}])
program("dropout in evaluation", "evaluation mode", """
    net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.Linear(4, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net.eval()  # here
    for _ in range(2):
        opt.zero_grad()
        loss = F.mse_loss(net(X), Y)
        loss.backward()
        opt.step()
    told = why(net[0].weight)
    """, "dropout (net.1) dropped nothing", fixes=[{"net.eval()  # here": "net.eval()\nnet.train()"}])

# --- zero and small

program("dead relu of a leaf", "zero", """
    x = torch.tensor([-1.0, -2.0], requires_grad=True)
    loss = torch.relu(x).sum()  # here
    loss.backward()
    told = why(x)
    """, "ReluBackward0", "none of its inputs is above 0", fixes=[{"torch.relu": "F.softplus"}])
program("clamped away", "zero", """
    x = torch.tensor([3.0, 5.0], requires_grad=True)
    y = x.clamp(0.0, 1.0)  # here
    loss = (y * v).sum()
    loss.backward()
    told = why(x)
    """, "outside of its limits, where its slope is 0", fixes=[
        {"x.clamp(0.0, 1.0)": "(x / 10).clamp(0.0, 1.0)"}])
program("saturated sigmoid", "saturated", """
    p = torch.sigmoid(w * 1000)  # here
    loss = ((p - 0.5) ** 2).sum()
    loss.backward()
    told = why(w)
    """, "SigmoidBackward0 (which made p)", "is saturated", fixes=[{"w * 1000": "w * 1000 / 1000"}])
program("saturated sigmoid before its loss", "saturated", """
    score = w * 1000
    p = torch.sigmoid(score)  # here
    loss = F.binary_cross_entropy(p, torch.zeros(2))
    loss.backward()
    told = why(w)
    """, "is saturated", fixes=[{"F.binary_cross_entropy(p, ": "F.binary_cross_entropy_with_logits(score, "}])
program("almost saturated", "saturated", """
    h = torch.tanh(w * 6)  # here
    loss = (h * v).sum()
    loss.backward()
    told = why(w)
    """, "TanhBackward0 (which made h)", "its largest slope is", fixes=[{"w * 6": "w * 6 / 12"}])
program("vanishing", "vanishing", """
    layers = []
    for _ in range(12):
        layers += [nn.Linear(3, 3), nn.Sigmoid()]
    net = nn.Sequential(*layers, nn.Linear(3, 1))
    loss = F.mse_loss(net(X), Y)
    loss.backward()
    told = why(net[0].weight)
    """, "behind the same result", "through 12 operations with a small slope (SigmoidBackward0)", fixes=[
        {"nn.Sigmoid()": "nn.ReLU()", "told =": "torch.manual_seed(2)\nfor layer in net:\n"
         "    for p in layer.parameters():\n        p.data = torch.randn(p.shape)\n"
         "net.zero_grad()\nloss = F.mse_loss(net(X), Y)\nloss.backward()\ntold ="}])
program("hook on the way", "zero", """
    with watch():
        h = w * v
        h.register_hook(lambda grad: grad * 0)
        loss = (h * h).sum()
        loss.backward()
    told = why(w)
    """, "h has a hook (", "which ran in between", fixes=[])

# --- NaN

program("where with sqrt", "nan", """
    x = torch.tensor([4.0, -1.0], requires_grad=True)
    loss = torch.where(x > 0, torch.sqrt(x), 0.0).sum()  # here
    loss.backward()
    told = why(x)
    """, "SqrtBackward0", "has no finite value where its input is negative, as 1 of its 2 numbers is", fixes=[
        {"torch.where(x > 0, torch.sqrt(x), 0.0)":
         "torch.where(x > 0, torch.sqrt(torch.where(x > 0, x, 1.0)), 0.0)"}])
program("where with a division", "nan", """
    n = torch.tensor([2.0, 0.0], requires_grad=True)
    mean = torch.where(n > 0, 6.0 / n, 0.0)  # here
    loss = mean.sum()
    loss.backward()
    told = why(n)
    """, "ReciprocalBackward0", "where its divisor is 0", fixes=[
        {"6.0 / n": "6.0 / torch.where(n > 0, n, 1.0)"}])
program("a row that is masked", "nan", """
    scores = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    mask = torch.tensor([[False, True], [True, True]])
    masked = scores.masked_fill(mask, float("-inf"))
    loss = (torch.softmax(masked, 1) * scores).sum()  # here
    loss.backward()
    told = why(scores)
    """, "is taken over 1 row in which every number is -inf", fixes=[{'float("-inf")': "-1e9"}])
program("the loss alone is NaN", "nan", """
    data = torch.tensor([1.0, float("nan")])
    b = torch.zeros(2, requires_grad=True)
    out = (w * data).detach() + b  # here
    loss = out.sum()
    loss.backward()
    told = why(b)
    """, "b.grad is finite, but loss is NaN or infinite",
        "Among the constants, NaN or infinity is in data", fixes=[
        {'float("nan")': "2.0"}])
program("huge, from one weight used often", "huge", """
    h = w
    with watch():
        for _ in range(10):
            h = h * w * 2
        loss = h.sum()
        loss.backward()
    told = why(w)
    """, "no single operation made it so", fixes=[
        {"told": "torch.nn.utils.clip_grad_norm_([w], 1.0)\ntold"}])

# --- None

program("lost in a Function, not watched", "None on the way", """
    class Lose(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2
        @staticmethod
        def backward(ctx, grad): return None
    h = w.exp()
    loss = Lose.apply(h).sum()  # here
    loss.backward()
    told = why(w)
    """, "LoseBackward", "may have returned None", fixes=[{"return None": "return grad * 2"}])
program("doubled, a discriminator that is never emptied", "doubled", """
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    with watch():
        for _ in range(2):
            real, fake = model(X).mean(), -model(Y * X).mean()
            real.backward()
            fake.backward()  # here
            opt.step()
    told = why(model.weight)
    """, "with which a step (program.py:17", fixes=[
        {"real, fake =": "opt.zero_grad()\n        real, fake ="}])
program("recording switched off", "cut", """
    torch.set_grad_enabled(False)
    h = w * 2  # here
    torch.set_grad_enabled(True)
    u = torch.ones(2, requires_grad=True)
    loss = (h * u).sum()
    loss.backward()
    told = why(w)
    """, "w went into loss where nothing was recorded", fixes=[{"torch.set_grad_enabled(False)": ""}])
program("a trainer with the rate 0", "no rate", """
    class Trainer:
        def __init__(self):
            self.net = nn.Linear(3, 1)
            self.opt = torch.optim.SGD(self.net.parameters(), lr=0.0)  # here
        def step(self):
            self.opt.zero_grad()
            loss = F.mse_loss(self.net(X), Y)
            loss.backward()
            self.opt.step()
    t = Trainer()
    t.step()
    told = why(t.net.weight)
    """, "t.opt", "with the learning rate 0", fixes=[{"lr=0.0": "lr=0.01"}])
