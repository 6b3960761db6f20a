from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class GPTConfig:
    vocab: int = 17
    dim: int = 8
    context: int = 6
    layers: int = 2


class Causal(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.norm = nn.LayerNorm(cfg.dim)
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim)
        self.out = nn.Linear(cfg.dim, cfg.dim)

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
        future = torch.ones(x.shape[1], x.shape[1]).tril() == 0
        return x + self.out(torch.softmax(scores.masked_fill(future, float("-inf")), dim=-1) @ v)


class GPT(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.token = nn.Embedding(cfg.vocab, cfg.dim)
        self.place = nn.Embedding(cfg.context, cfg.dim)
        self.layers = nn.ModuleList(Causal(cfg) for _ in range(cfg.layers))
        self.lm_head = nn.Linear(cfg.dim, cfg.vocab, bias=False)
        self.lm_head.weight = self.token.weight

    def forward(self, ids):
        x = self.token(ids) + self.place(torch.arange(ids.shape[1]))
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(x)


torch.manual_seed(0)
cfg = GPTConfig()
gpt = GPT(cfg)
optimizer = torch.optim.AdamW(gpt.parameters(), lr=3e-3)
for _ in range(3):
    ids = torch.randint(0, cfg.vocab, (4, cfg.context + 1))
    loss = nn.functional.cross_entropy(gpt(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
