from dataclasses import dataclass

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR


@dataclass(frozen=True)
class Hyper:
    lr: float = 1e-2
    warmup: int = 100
    steps: int = 6
    hidden: int = 12


def make_model(hp):
    return nn.Sequential(nn.Linear(4, hp.hidden), nn.ReLU(), nn.Linear(hp.hidden, 2))


def make_optimizer(model, hp):
    optimizer = torch.optim.AdamW(model.parameters(), lr=hp.lr, weight_decay=0.01)
    scheduler = LambdaLR(optimizer, lambda step: min(1, step // hp.warmup))
    return optimizer, scheduler


def train(model, hp):
    optimizer, scheduler = make_optimizer(model, hp)
    loss_fn = nn.MSELoss()
    for step in range(hp.steps):
        x = torch.randn(16, 4)
        y = torch.stack([x.sum(1), x.prod(1)], dim=1)
        loss = loss_fn(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        print(f"{step} {loss.item():.4f}")
    return optimizer


torch.manual_seed(0)
hp = Hyper()
model = make_model(hp)
optimizer = train(model, hp)
