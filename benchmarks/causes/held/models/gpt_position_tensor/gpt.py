import math
import torch
from torch import nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, dim, length):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)
        self.register_buffer("mask", torch.ones(length, length).triu(1).bool())

    def forward(self, x):
        q, k, v = self.qkv(self.ln1(x)).chunk(3, dim=-1)
        att = (q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])).masked_fill(self.mask, float("-inf"))
        x = x + self.proj(torch.softmax(att, dim=-1) @ v)
        return x + self.down(torch.relu(self.up(self.ln2(x))))


class GPT(nn.Module):
    def __init__(self, vocab=16, dim=8, length=6, layers=2):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.pos = torch.zeros(length, dim, requires_grad=True)
        self.blocks = nn.ModuleList([Block(dim, length) for _ in range(layers)])
        self.ln = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, vocab, bias=False)

    def forward(self, ids):
        x = self.tok(ids) + self.pos
        for block in self.blocks:
            x = block(x)
        return self.head(self.ln(x))


torch.manual_seed(0)
model = GPT()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
data = torch.randint(0, 16, (4, 7))


def train_step():
    logits = model(data[:, :-1])
    loss = F.cross_entropy(logits.reshape(-1, 16), data[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


for _ in range(2):
    train_step()
