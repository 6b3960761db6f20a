import math
import torch
from torch import nn


class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).reshape(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        weight = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(d // self.heads), dim=-1)
        return self.proj((weight @ v).transpose(1, 2).reshape(b, t, d))


class ViT(nn.Module):
    def __init__(self, patch=4, dim=8, depth=3, classes=3):
        super().__init__()
        self.patch = patch
        self.embed = nn.Linear(patch * patch, dim)
        self.pos = nn.Parameter(torch.randn(4, dim) * 0.02)
        self.attention = [MultiHead(dim, 2) for _ in range(depth)]
        self.norms = nn.ModuleList([nn.LayerNorm(dim) for _ in range(depth)])
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        b, s, p = images.shape[0], images.shape[1] // self.patch, self.patch
        x = images.reshape(b, s, p, s, p).permute(0, 1, 3, 2, 4).reshape(b, s * s, p * p)
        x = self.embed(x) + self.pos
        for attention, norm in zip(self.attention, self.norms):
            x = x + attention(norm(x))
        return self.head(x.mean(1))


torch.manual_seed(0)
model = ViT()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
images, labels = torch.randn(6, 8, 8), torch.randint(0, 3, (6,))


def train_step():
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()


for _ in range(2):
    train_step()
