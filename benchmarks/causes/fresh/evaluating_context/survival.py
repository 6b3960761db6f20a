from contextlib import contextmanager

import torch
from torch import nn


class MLP(nn.Module):
    def __init__(self, n_in=6, width=20, p=0.4):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(n_in, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(p))
        self.risk = nn.Linear(width, 1)

    def forward(self, x):
        return self.risk(self.inner(x)).squeeze(1)


@contextmanager
def evaluating(net):
    net.eval()
    with torch.no_grad():
        yield net


def validate(net, x, t):
    with evaluating(net) as frozen:
        return nn.functional.mse_loss(frozen(x), t).item()


def fit(net, train, valid, epochs=4):
    optimizer = torch.optim.AdamW(net.parameters(), lr=5e-3)
    best = validate(net, *valid)
    for _ in range(epochs):
        x, t = train
        loss = nn.functional.mse_loss(net(x), t)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        best = min(best, validate(net, *valid))
    return best


torch.manual_seed(0)
make = lambda n: (3 * torch.randn(n, 6) + 5, torch.rand(n))
net = MLP()
print(fit(net, make(40), make(10)))
