import math
import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, dim, length):
        super().__init__()
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.register_buffer("mask", torch.ones(length, length).triu(1).bool())

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(self.mask, float("-inf"))
        return self.proj(torch.softmax(scores, dim=-1) @ v)


torch.manual_seed(0)
layer = CausalAttention(6, 5)
optimizer = torch.optim.Adam(layer.parameters(), lr=1e-3)
x = torch.randn(3, 5, 6)
for _ in range(2):
    loss = (x + layer(x)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
