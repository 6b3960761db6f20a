import math
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, x, mask):
        q, k, v = self.q(x), self.k(x), self.v(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(x.shape[-1])
        attn = torch.softmax(scores, dim=-1)
        attn[:, mask] = 0.0
        return attn @ v


torch.manual_seed(4)
layer = Attention(6)
mask = torch.ones(5, 5).triu(1).bool()
x = torch.randn(2, 5, 6)
out = layer(x, mask)
loss = out.pow(2).mean()
loss.backward()
