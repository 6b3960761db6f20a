import torch
import torch.nn.functional as F
from torch import nn


class UncertaintyLoss(nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.log_variance = nn.ParameterList([nn.Parameter(torch.zeros(())) for _ in range(tasks)])

    def forward(self, losses):
        return sum(torch.exp(-s) * loss + s for s, loss in zip(self.log_variance, losses.values()))


class SharedNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Dropout(0.1))
        self.heads = nn.ModuleDict({"depth": nn.Linear(24, 1), "normal": nn.Linear(24, 3), "kind": nn.Linear(24, 4)})

    def forward(self, x):
        h = self.trunk(x)
        return {name: head(h) for name, head in self.heads.items()}


LOSSES = {
    "depth": lambda out, y: F.l1_loss(out.squeeze(1), y),
    "normal": lambda out, y: F.mse_loss(out, y),
    "kind": F.cross_entropy,
}

torch.manual_seed(0)
model, balance = SharedNet(), UncertaintyLoss(3)
optimizer = torch.optim.Adam([*model.parameters(), *balance.parameters()], lr=1e-3)
for _ in range(3):
    x = torch.randn(10, 8)
    targets = {"depth": torch.rand(10), "normal": torch.randn(10, 3), "kind": torch.randint(0, 4, (10,))}
    out = model(x)
    loss = balance({name: LOSSES[name](out[name], targets[name]) for name in out})
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
