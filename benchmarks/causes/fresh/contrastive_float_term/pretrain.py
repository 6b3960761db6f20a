from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    width: int = 16
    steps: int = 4
    lr: float = 3e-3
    align: float = 0.5


class TwoTower(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.image = nn.Sequential(nn.Linear(12, cfg.width), nn.ReLU(), nn.Linear(cfg.width, 8))
        self.text = nn.Sequential(nn.Linear(10, cfg.width), nn.ReLU(), nn.Linear(cfg.width, 8))
        self.bridge = nn.Linear(8, 8)

    def forward(self, image, text):
        return self.image(image), self.text(text)


def compute_losses(net, batch, cfg):
    zi, zt = net(*batch)
    logits = zi @ zt.t()
    labels = torch.arange(len(zi))
    align = F.mse_loss(net.bridge(zi), zt)
    return {
        "contrastive": F.cross_entropy(logits, labels),
        "align": cfg.align * float(align),
    }


def batches(n):
    for _ in range(n):
        yield torch.randn(6, 12), torch.randn(6, 10)


torch.manual_seed(0)
cfg = Config()
net = TwoTower(cfg)
opt = torch.optim.AdamW(net.parameters(), lr=cfg.lr)
for batch in batches(cfg.steps):
    losses = compute_losses(net, batch, cfg)
    opt.zero_grad()
    sum(losses.values()).backward()
    opt.step()
    print({k: round(float(v), 3) for k, v in losses.items()})
