import torch
from torch import nn


class Router(nn.Module):
    def __init__(self, dim, experts, noise=0.1):
        super().__init__()
        self.score = nn.Linear(dim, experts)
        self.noise = noise

    def forward(self, x):
        scores = self.score(x)
        if self.training:
            scores = scores + self.noise * torch.randn_like(scores)
        return torch.softmax(scores, dim=-1)


class MoE(nn.Module):
    def __init__(self, dim=6, experts=3):
        super().__init__()
        self.router = Router(dim, experts)
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(dim, 12), nn.ReLU(), nn.Linear(12, dim)) for _ in range(experts)])
        self.usage = torch.zeros(experts)

    def track(self, weights):
        weights = weights.detach()
        self.usage = 0.9 * self.usage + 0.1 * weights.mean(dim=0)
        return weights

    def forward(self, x):
        weights = self.track(self.router(x))
        outputs = torch.stack([expert(x) for expert in self.experts], dim=1)
        return (weights.unsqueeze(-1) * outputs).sum(dim=1)


torch.manual_seed(0)
moe = MoE()
optimizer = torch.optim.Adam(moe.parameters(), lr=1e-3)
for _ in range(3):
    x = torch.randn(14, 6)
    loss = (moe(x) - x.flip(1)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(moe.usage)
