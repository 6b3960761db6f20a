import copy
import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(6, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(12, 4))
predictor = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))
target = copy.deepcopy(encoder)
for p in target.parameters():
    p.requires_grad = False
optimizer = torch.optim.SGD([*encoder.parameters(), *predictor.parameters()], lr=0.05, momentum=0.9)
data = torch.randn(10, 6)


def unit(z):
    return z / (z.norm(dim=1, keepdim=True) + 1e-8)


def step():
    a, b = data + 0.1 * torch.randn(10, 6), data + 0.1 * torch.randn(10, 6)
    loss = 0.0
    for x, y in ((a, b), (b, a)):
        with torch.no_grad():
            goal = unit(target(y))
        loss = loss + 2 - 2 * (unit(predictor(encoder(x))) * goal).sum(1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for t, p in zip(target.parameters(), encoder.parameters()):
            t.lerp_(p, 0.01)
    return loss.item()


for _ in range(2):
    step()
