from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class MixerConfig:
    tokens: int = 5
    dim: int = 8
    depth: int = 3
    classes: int = 4


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.norm = nn.LayerNorm(cfg.dim)
        self.across = nn.Linear(cfg.tokens, cfg.tokens)
        self.within = nn.Linear(cfg.dim, cfg.dim)

    def forward(self, x):
        x = x + self.across(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return x + torch.relu(self.within(self.norm(x)))


class Mixer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.stem = nn.Linear(6, cfg.dim)
        self.blocks = [Block(cfg) for _ in range(cfg.depth)]
        self.head = nn.Linear(cfg.dim, cfg.classes)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(dim=1))


def train(mixer, steps=3):
    optimizer = torch.optim.Adam(mixer.parameters(), lr=1e-3)
    for _ in range(steps):
        x, y = torch.randn(10, 5, 6), torch.randint(0, 4, (10,))
        loss = nn.functional.cross_entropy(mixer(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
mixer = Mixer(MixerConfig())
train(mixer)
