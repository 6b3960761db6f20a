import copy

import torch
from torch import nn


class Averaged:
    def __init__(self, model, decay=0.99):
        self.decay = decay
        self.model = copy.deepcopy(model).eval()
        for p in self.model.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def after_step(self, model):
        for mine, theirs in zip(self.model.parameters(), model.parameters()):
            mine.lerp_(theirs, 1 - self.decay)


class Denoiser(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.time = nn.Embedding(10, dim)
        self.net = nn.Sequential(nn.Linear(dim, 32), nn.Sigmoid(), nn.Linear(32, dim))

    def forward(self, x, t):
        return self.net(x + self.time(t))


def diffusion_loss(model, x):
    t = torch.randint(0, 10, (len(x),))
    keep = (1 - t.float() / 10).unsqueeze(1)
    noise = torch.randn_like(x)
    return (model(keep.sqrt() * x + (1 - keep).sqrt() * noise, t) - noise).pow(2).mean()


torch.manual_seed(0)
model = Denoiser()
average = Averaged(model)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for _ in range(4):
    loss = diffusion_loss(model, torch.randn(40, 6))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average.after_step(model)
