import math
import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self, dim=4, hidden=16):
        super().__init__()
        self.time_mlp = nn.Sequential(nn.Linear(8, hidden), nn.Tanh(), nn.Linear(hidden, hidden))
        self.enter, self.middle, self.leave = nn.Linear(dim, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, dim)

    @torch.no_grad()
    def time_embedding(self, t):
        frequencies = torch.exp(-math.log(1000.0) * torch.arange(4) / 4)
        angles = t[:, None].float() * frequencies[None]
        return self.time_mlp(torch.cat([angles.sin(), angles.cos()], dim=1))

    def forward(self, x, t):
        h = torch.relu(self.enter(x) + self.time_embedding(t))
        return self.leave(h + torch.relu(self.middle(h)))


torch.manual_seed(0)
steps = 50
alpha_bar = torch.cumprod(1 - torch.linspace(1e-4, 0.02, steps), dim=0)
model = Denoiser()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
data = torch.randn(16, 4)


def train_step():
    t = torch.randint(0, steps, (len(data),))
    noise = torch.randn_like(data)
    a = alpha_bar[t][:, None]
    predicted = model(a.sqrt() * data + (1 - a).sqrt() * noise, t)
    loss = (predicted - noise).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


for _ in range(2):
    train_step()
