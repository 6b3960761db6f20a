import torch
from torch import nn


class Config:
    batch_size = 16
    base_lr = 1e-3
    hidden = 12


class MLPDenoiser(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(3, config.hidden), nn.Tanh(), nn.Linear(config.hidden, config.hidden), nn.Tanh(), nn.Linear(config.hidden, 2))

    def forward(self, x, sigma):
        return self.net(torch.cat([x, sigma.log()[:, None]], dim=1))


def make_optimizer(model, config):
    lr = config.base_lr * config.batch_size // 256
    return torch.optim.AdamW(model.parameters(), lr=lr, betas=(0.9, 0.99))


def loss_of(model, x):
    sigma = torch.rand(len(x)) * 0.9 + 0.1
    noisy = x + sigma[:, None] * torch.randn_like(x)
    return ((model(noisy, sigma) - x) ** 2 / sigma[:, None] ** 2).mean()


torch.manual_seed(0)
config = Config()
model = MLPDenoiser(config)
optimizer = make_optimizer(model, config)


def train(steps):
    for _ in range(steps):
        loss = loss_of(model, torch.randn(config.batch_size, 2))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(2)
