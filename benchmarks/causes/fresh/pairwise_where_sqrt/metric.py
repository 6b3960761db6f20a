import torch
from torch import nn


def pairwise(z):
    squared = (z.unsqueeze(0) - z.unsqueeze(1)).pow(2).sum(-1)
    return torch.where(squared > 0, torch.sqrt(squared), torch.zeros_like(squared))


class MetricLearner:
    def __init__(self, net, margin=1.0):
        self.net, self.margin = net, margin
        self.optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)

    def loss(self, x, y):
        d = pairwise(self.net(x))
        same = (y.unsqueeze(0) == y.unsqueeze(1)).float()
        pull = (same * d).mean()
        push = ((1 - same) * (self.margin - d).clamp(min=0)).mean()
        return {"pull": pull, "push": push, "total": pull + push}

    def step(self, x, y):
        self.optimizer.zero_grad()
        losses = self.loss(x, y)
        losses["total"].backward()
        self.optimizer.step()
        return {name: value.item() for name, value in losses.items()}


torch.manual_seed(0)
learner = MetricLearner(nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 3)))
for _ in range(1):
    print(learner.step(torch.randn(8, 5), torch.randint(0, 3, (8,))))
