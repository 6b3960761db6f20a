"""Healthy training programs: why() and the table must find nothing wrong, plain and under watch().

Each ends with a model `net` (or several, in `nets`) whose parameters are asked for.
"""
from __future__ import annotations

from textwrap import dedent, indent

HEAD = """
import copy
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
X, Y = torch.randn(8, 3), torch.randn(8, 1)
def mlp(inner=4, last=1):
    return nn.Sequential(nn.Linear(3, inner), nn.Tanh(), nn.Linear(inner, last))
class Several(torch.optim.SGD):
    def step(self, closure):
        for _ in range(4):
            loss = closure()
            super().step()
        return loss
"""
HEALTHY: dict[str, str] = {}


def healthy(name: str, text: str) -> None:
    HEALTHY[name] = dedent(text)


def program(name: str, watched: bool) -> str:
    """The text of a program; `watched` runs it inside of a watch()."""
    return HEAD + ("with watch():\n" + indent(HEALTHY[name], "    ") if watched else HEALTHY[name])


healthy("a trunk that takes the sum of two losses, each with an optimizer of its head", """
    net, one, two = mlp(last=4), nn.Linear(4, 1), nn.Linear(4, 1)
    opts = [torch.optim.SGD(part.parameters(), lr=0.01) for part in (net, one, two)]
    for _ in range(3):
        first = F.mse_loss(one(net(X)), Y)
        first.backward()
        opts[1].step()
        second = F.mse_loss(two(net(X)), 1 - Y)
        second.backward()
        opts[2].step()
        opts[0].step()
        for opt in opts:
            opt.zero_grad()
    """)
healthy("a proximal step inside, on a copy", """
    net = mlp()
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(3):
        opt.zero_grad()
        loss = F.mse_loss(net(X), Y)
        loss.backward()
        opt.step()
        near = nn.Parameter(net[0].weight * 1.0)
        inner = torch.optim.SGD([near], lr=0.1)
        for _ in range(2):
            inner.zero_grad()
            (F.mse_loss(X @ near.t(), (X @ X.t())[:, :4]) + (near - net[0].weight).pow(2).sum()).backward()
            inner.step()
    """)
healthy("a learned offset that begins with a mean", """
    net = mlp()
    offset = nn.Parameter(net[0](X).mean(0, keepdim=True))
    opt = torch.optim.SGD([offset, *net.parameters()], lr=0.01)
    for _ in range(3):
        opt.zero_grad()
        loss = F.mse_loss(net[2](torch.tanh(net[0](X) + offset)), Y)
        loss.backward()
        opt.step()
    """)
healthy("two different hooks of one line", """
    net = mlp()
    for factor in (0.5, 2.0):
        net[0].weight.register_hook(lambda g, factor=factor: factor * g)
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(3):
        opt.zero_grad()
        loss = F.mse_loss(net(X), Y)
        loss.backward()
        opt.step()
    """)
healthy("a hook that is removed after each pass", """
    net = mlp()
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(3):
        handles = [p.register_hook(lambda g: 0.5 * g) for p in net.parameters()]
        opt.zero_grad()
        loss = F.mse_loss(net(X), Y)
        loss.backward()
        opt.step()
        for one in handles:
            one.remove()
    """)
healthy("a small scale that is learned", """
    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.inside, self.gamma = nn.Linear(3, 3), nn.Parameter(torch.full((3,), 1e-7))
            self.last = nn.Linear(3, 1)
        def forward(self, x):
            return self.last(x + self.gamma * torch.relu(self.inside(x)))
    net = Scaled()
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(3):
        opt.zero_grad()
        loss = F.mse_loss(net(X), Y)
        loss.backward()
        opt.step()
    """)
healthy("normalised rows beside the rows", """
    class Beside(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(3, 1), nn.Linear(3, 2)
        def forward(self, x):
            h, k = self.a(x), self.b(x)
            k = (k - k.mean(1, keepdim=True)) / (k.var(1, keepdim=True) + 0.1)
            return h + (h - h.mean(0)) + k.prod(1, keepdim=True)
    net = Beside()
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(3):
        opt.zero_grad()
        loss = F.mse_loss(net(X), Y)
        loss.backward()
        opt.step()
    """)
healthy("zero_grad at the end", """
    net = mlp()
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    for _ in range(3):
        loss = F.mse_loss(net(X), Y)
        loss.backward()
        opt.step()
        opt.zero_grad()
    """)
healthy("a GAN whose discriminator is frozen in turn", """
    net, D = mlp(), nn.Linear(1, 1)
    opt, optD = (torch.optim.SGD(one.parameters(), lr=0.1) for one in (net, D))
    nets = [net, D]
    for step in range(4):
        D.requires_grad_(True)
        optD.zero_grad()
        (D(net(X).detach()).pow(2).mean() + (D(Y) - 1).pow(2).mean()).backward()
        optD.step()
        if step % 2:
            D.requires_grad_(False)
            opt.zero_grad()
            loss = (D(net(X)) - 1).pow(2).mean()
            loss.backward()
            opt.step()
    """)
healthy("a step that calls its closure several times", """
    net = mlp()
    opt = Several(net.parameters(), lr=0.01)
    def closure():
        opt.zero_grad()
        loss = F.mse_loss(net(X), Y)
        loss.backward()
        return loss
    for _ in range(4):
        opt.step(closure)
    """)
healthy("GAN", """
    G, D = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    optG, optD = torch.optim.Adam(G.parameters(), lr=0.01), torch.optim.Adam(D.parameters(), lr=0.01)
    for _ in range(2):
        optD.zero_grad()
        fake = G(torch.randn(8, 2))
        errD_real = F.binary_cross_entropy_with_logits(D(X), torch.ones(8, 1))
        errD_real.backward()
        errD_fake = F.binary_cross_entropy_with_logits(D(fake.detach()), torch.zeros(8, 1))
        errD_fake.backward()
        optD.step()
        optG.zero_grad()
        errG = F.binary_cross_entropy_with_logits(D(fake), torch.ones(8, 1))
        errG.backward()
        optG.step()
    nets = [G, D]
    """)
healthy("two tasks", """
    trunk, one, two = nn.Linear(3, 4), nn.Linear(4, 1), nn.Linear(4, 1)
    opt = torch.optim.SGD([*trunk.parameters(), *one.parameters(), *two.parameters()], lr=0.05)
    for _ in range(3):
        opt.zero_grad()
        h = torch.tanh(trunk(X))
        first = F.mse_loss(one(h), Y)
        second = two(h).pow(2).mean()
        first.backward(retain_graph=True)
        second.backward()
        opt.step()
    nets = [trunk, one, two]
    """)
healthy("accumulation", """
    net = mlp()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(4):
        loss = F.mse_loss(net(X[step::4]), Y[step::4]) / 2
        loss.backward()
        if (step + 1) % 2 == 0:
            opt.step()
            opt.zero_grad()
    """)
healthy("EMA through data", """
    net = mlp()
    ema = copy.deepcopy(net)
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(3):
        opt.zero_grad()
        loss = F.mse_loss(net(X), Y)
        loss.backward()
        opt.step()
        for old, new in zip(ema.parameters(), net.parameters()):
            old.data = 0.9 * old.data + 0.1 * new.data
    nets = [net, ema]
    """)
LORA = """
    class Lora(nn.Module):
        def __init__(self):
            super().__init__()
            self.base = nn.Linear(3, 2)
            self.base.weight.requires_grad_(False)
            self.base.bias.requires_grad_(False)
            self.A, self.B = nn.Parameter(torch.randn(1, 3)), nn.Parameter(torch.zeros(2, 1))
        def forward(self, data):
            return self.base(data) + data @ self.A.T @ self.B.T
    net = Lora()
    opt = torch.optim.{}([net.A, net.B], lr=0.1)
    for _ in range({}):
        opt.zero_grad()
        loss = net(X).pow(2).mean()
        loss.backward()
        opt.step()
    """
for kind in ("SGD", "Adam"):
    for rounds in (1, 3):
        healthy(f"LoRA, {kind}, {rounds}", LORA.format(kind, rounds))
healthy("policy gradient", """
    policy, value = mlp(last=2), mlp()
    opt = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=0.01)
    for _ in range(2):
        logits, v = policy(X), value(X)
        chosen = torch.tensor([0, 1, 0, 1, 0, 1, 0, 1])
        logp = torch.log_softmax(logits, 1)[range(8), chosen]
        advantage = (Y - v).detach()
        loss = -(logp * advantage.squeeze(1)).mean() + F.mse_loss(v, Y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    nets = [policy, value]
    """)
healthy("DQN", """
    q = mlp(last=2)
    target = copy.deepcopy(q)
    opt = torch.optim.SGD(q.parameters(), lr=0.01)
    for step in range(4):
        with torch.no_grad():
            goal = Y.squeeze(1) + 0.9 * target(X).max(1)[0]
        chosen = q(X)[range(8), [0, 1] * 4]
        loss = F.mse_loss(chosen, goal)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 2 == 0:
            target.load_state_dict(q.state_dict())
    nets = [q, target]
    """)
healthy("RNN", """
    class Cell(nn.Module):
        def __init__(self):
            super().__init__()
            self.i, self.h, self.out = nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 1)
        def forward(self, data):
            state = torch.zeros(1, 4)
            for row in data:
                state = torch.tanh(self.i(row) + self.h(state))
            return self.out(state)
    net = Cell()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(1):
        loss = net(X).pow(2).sum()
        loss.backward()
        opt.step()
    """)
healthy("truncated backpropagation", """
    cell, out = nn.Linear(6, 3), nn.Linear(3, 1)
    opt = torch.optim.SGD([*cell.parameters(), *out.parameters()], lr=0.1)
    state = torch.zeros(8, 3)
    for _ in range(3):
        state = state.detach()
        state = torch.tanh(cell(torch.cat([X, state], 1)))
        loss = F.mse_loss(out(state), Y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    nets = [cell, out]
    """)
healthy("tied weights", """
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.emb, self.head = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
            self.head.weight = self.emb.weight
        def forward(self, words):
            return self.head(torch.tanh(self.emb(words)))
    net, words = Tied(), torch.tensor([0, 1, 2, 3, 4])
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        loss = F.cross_entropy(net(words), words)
        loss.backward()
        opt.step()
    """)
healthy("checkpoint", """
    checkpoint = importlib.import_module(torch.__name__ + ".utils.checkpoint").checkpoint
    first, net = nn.Linear(3, 4), mlp()
    block = nn.Sequential(nn.Linear(3, 3), nn.Tanh())
    opt = torch.optim.SGD([*block.parameters(), *net.parameters()], lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        loss = F.mse_loss(net(checkpoint(block, X, use_reentrant=False)), Y)
        loss.backward()
        opt.step()
    nets = [block, net]
    """)
healthy("batch norm and dropout", """
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Dropout(0.2), nn.Linear(4, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    for _ in range(2):
        net.train()
        opt.zero_grad()
        loss = F.mse_loss(net(X), Y)
        loss.backward()
        opt.step()
        net.eval()
        with torch.no_grad():
            valid = F.mse_loss(net(X), Y)
    """)
healthy("a schedule that ends at 0", """
    net = mlp()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=3)
    for _ in range(3):
        loss = F.mse_loss(net(X), Y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        schedule.step()
    """)
healthy("mixed optimizers", """
    net = mlp()
    opts = {"first": torch.optim.SGD(net[0].parameters(), lr=0.1),
            "last": torch.optim.Adam(net[2].parameters(), lr=0.01)}
    for _ in range(2):
        for one in opts.values():
            one.zero_grad()
        loss = F.mse_loss(net(X), Y)
        loss.backward()
        for one in opts.values():
            one.step()
    """)
healthy("steps by hand", """
    net = mlp()
    for _ in range(3):
        loss = F.mse_loss(net(X), Y)
        loss.backward()
        with torch.no_grad():
            for p in net.parameters():
                p -= 0.1 * p.grad
                p.grad = None
    """)
healthy("weights clipped through data", """
    net = mlp()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        loss = net(X).mean()
        loss.backward()
        opt.step()
        for p in net.parameters():
            p.data.clamp_(-1.0, 1.0)
    """)
healthy("gradient of the input", """
    net = mlp()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    x = X.clone().requires_grad_()
    loss = F.mse_loss(net(x), Y)
    loss.backward()
    told = why(x).cause
    assert told == "healthy", told
    opt.step()
    """)
healthy("a function trains", """
    def train(net, opt, rounds):
        for _ in range(rounds):
            opt.zero_grad()
            loss = F.mse_loss(net(X), Y)
            loss.backward()
            opt.step()
        return loss.item()
    net = mlp()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    last = train(net, opt, 3)
    """)
healthy("gradient penalty", """
    net = mlp()
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(2):
        opt.zero_grad()
        x = X.clone().requires_grad_()
        score = net(x)
        slope, = torch.autograd.grad(score.sum(), x, create_graph=True)
        loss = score.mean() + ((slope.norm(dim=1) - 1) ** 2).mean()
        loss.backward()
        opt.step()
    """)
healthy("weights saved", """
    net = mlp()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    best, least = None, float("inf")
    for _ in range(3):
        opt.zero_grad()
        loss = F.mse_loss(net(X), Y)
        loss.backward()
        if loss.item() < least:
            least, best = loss.item(), copy.deepcopy(net.state_dict())
        opt.step()
    state = net.state_dict()
    """)
healthy("a teacher in a list", """
    class Student(nn.Module):
        def __init__(self, teacher):
            super().__init__()
            self.teacher, self.body = [teacher], mlp()
        def forward(self, data):
            with torch.no_grad():
                goal = self.teacher[0](data)
            return F.mse_loss(self.body(data), goal)
    net = Student(mlp())
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        loss = net(X)
        loss.backward()
        opt.step()
    """)
healthy("actor and critic", """
    actor, critic = mlp(last=2), nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 1))
    optA, optC = torch.optim.Adam(actor.parameters(), lr=0.01), torch.optim.Adam(critic.parameters(), lr=0.01)
    for _ in range(3):
        with torch.no_grad():
            goal = Y + 0.9 * critic(torch.cat([X, actor(X)], 1))
        lossC = F.mse_loss(critic(torch.cat([X, torch.randn(8, 2)], 1)), goal)
        optC.zero_grad()
        lossC.backward()
        optC.step()
        lossA = -critic(torch.cat([X, actor(X)], 1)).mean()
        optA.zero_grad()
        lossA.backward()
        optA.step()
    nets = [actor, critic]
    """)
healthy("a model that is looked at between the steps of another", """
    net, other = mlp(), mlp()
    opt = torch.optim.SGD(other.parameters(), lr=0.1)
    for _ in range(3):
        net.zero_grad()
        seen = X.clone().requires_grad_()
        net(seen).sum().backward()
        loss = F.mse_loss(other(X), Y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    """)
healthy("a worker whose gradients go to a shared model", """
    shared = mlp()
    net = copy.deepcopy(shared)
    opt = torch.optim.SGD(shared.parameters(), lr=0.1)
    for _ in range(3):
        net.load_state_dict(shared.state_dict())
        net.zero_grad()
        loss = F.mse_loss(net(X), Y)
        loss.backward()
        for own, other in zip(net.parameters(), shared.parameters()):
            other.grad = own.grad
        opt.step()
    """)
healthy("experts that take turns", """
    class Experts(nn.Module):
        def __init__(self):
            super().__init__()
            self.experts = nn.ModuleList([mlp() for _ in range(3)])
        def forward(self, data, at):
            return self.experts[at % 3](data)
    net = Experts()
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    for at in range(5):
        opt.zero_grad()
        loss = F.mse_loss(net(X, at), Y)
        loss.backward()
        opt.step()
    """)
