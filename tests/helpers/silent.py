"""Watched programs that train in a function and end in `told = why(...)`, each ill and healthy.

`# here` marks the line that the answer must name. `mended` replaces parts of the text, so that the
answer becomes "healthy".
"""
from __future__ import annotations

from textwrap import dedent
from typing import NamedTuple

from tests.helpers.why_programs import START

STEP = """
def train(rounds=2):
    for _ in range(rounds):
        opt.zero_grad()
        loss = loss_of()
        loss.backward()
        opt.step()

with watch():
    train()
"""


class Silent(NamedTuple):
    cause: str
    text: str
    mended: dict[str, str]

    @property
    def healthy(self) -> str:
        text = self.text
        for old, new in self.mended.items():
            assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in the program"
            text = text.replace(old, new)
        return text


SILENT: dict[str, Silent] = {}


def silent(name, cause, text, mended):
    SILENT[name] = Silent(cause, START + dedent(text).replace("STEP\n", STEP), mended)


silent("no_grad", "cut", """
    opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=0.1)
    def loss_of():
        with torch.no_grad():
            h = enc(X)  # here
        return F.mse_loss(dec(h), Y)
    STEP
    told = why(enc.weight)
    """, {"torch.no_grad()": "torch.enable_grad()"})
silent("left in evaluation", "evaluation mode", """
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    def score():
        net.eval()  # here
        with torch.no_grad():
            result = F.mse_loss(net(X), Y)
        return result
    score()
    loss_of = lambda: F.mse_loss(net(X), Y)
    STEP
    told = why(net[0].weight)
    """, {"return result": "net.train()\n    return result"})
silent("only a part in evaluation", "evaluation mode", """
    net = nn.Sequential(nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5)), nn.Linear(4, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net[0].eval()  # here
    loss_of = lambda: F.mse_loss(net(X), Y)
    STEP
    told = why(net[0][0].weight)
    """, {"net[0].eval()": "net[0].train()"})
silent("step before backward", "emptied early", """
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    with watch():
        for _ in range(3):
            loss = F.mse_loss(model(X), Y)
            opt.zero_grad()
            opt.step()  # here
            loss.backward()
    told = why(model.weight)
    """, {"opt.step()  # here\n": "loss.backward()\n", "        loss.backward()\nt": "        opt.step()\nt"})
silent("a schedule that stays at 0", "no rate", """
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    warm = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: min(step // 100, 1))  # here
    def train():
        for _ in range(3):
            opt.zero_grad()
            F.mse_loss(model(X), Y).backward()
            opt.step()
            warm.step()
    with watch():
        train()
    told = why(model.weight)
    """, {"step // 100": "(step + 1) / 100"})
silent("an optimizer of an object never steps", "no step", """
    class Agent:
        def __init__(self):
            self.actor, self.critic = nn.Linear(3, 1), nn.Linear(3, 1)
            self.actor_opt = torch.optim.SGD(self.actor.parameters(), lr=0.1)
            self.critic_opt = torch.optim.SGD(self.critic.parameters(), lr=0.1)  # here
        def learn(self):
            self.critic_opt.zero_grad()
            F.mse_loss(self.critic(X), Y).backward()
            self.actor_opt.zero_grad()
            (self.critic(X) * self.actor(X)).mean().backward()
            self.actor_opt.step()
    agent = Agent()
    with watch():
        agent.learn()
        agent.learn()
    told = why(agent.critic.weight)
    """, {"F.mse_loss(self.critic(X), Y).backward()":
          "F.mse_loss(self.critic(X), Y).backward()\n        self.critic_opt.step()"})
silent("the target becomes the network in a function", "one module", """
    import copy
    target = nn.Linear(3, 1)
    def synchronise():
        global target
        target = model  # here
    synchronise()
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    def loss_of():
        with torch.no_grad():
            goal = target(X)
        return F.mse_loss(model(X), goal + 1)
    STEP
    told = why(model.weight)
    """, {"target = model ": "target = copy.deepcopy(model) "})
silent("a list that repeats a layer", "one module", """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(3, 3)] * 2)  # here
            self.last = nn.Linear(3, 1)
        def forward(self, data):
            for layer in self.layers:
                data = torch.tanh(layer(data))
            return self.last(data)
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    loss_of = lambda: F.mse_loss(net(X), Y)
    STEP
    told = why(net.layers[0].weight)
    """, {"[nn.Linear(3, 3)] * 2": "[nn.Linear(3, 3) for _ in range(2)]"})
silent("shapes that broadcast", "broadcast", """
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    goal = Y.squeeze(1)
    loss_of = lambda: ((model(X) - goal) ** 2).mean()  # here
    STEP
    told = why(model.weight)
    """, {"model(X) - goal": "model(X).squeeze(1) - goal"})
silent("sigmoid twice", "twice", """
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    goal = (Y > 0).float()
    loss_of = lambda: F.binary_cross_entropy_with_logits(torch.sigmoid(model(X)), goal)  # here
    STEP
    told = why(model.weight)
    """, {"torch.sigmoid(model(X))": "model(X)"})
silent("a hook in forward", "zero", """
    opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=0.1)
    def loss_of():
        h = torch.tanh(enc(X))
        h.register_hook(lambda grad: grad * 0)  # here
        return F.mse_loss(dec(h), Y)
    STEP
    told = why(enc.weight)
    """, {"grad * 0": "grad * 1"})
silent("a NaN of a row", "nan", """
    opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=0.0001)
    mask = torch.tensor([[True, True]] + [[False, False]] * 7)
    def look():
        scores = enc(X).masked_fill(mask, -float("inf"))
        F.mse_loss(dec(torch.softmax(scores, dim=1)), Y).backward()  # here
        opt.step()
    with watch():
        look()
    told = why(dec.weight)
    """, {"-float(\"inf\")": "-1e9"})
