import math
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Dropout(0.1), nn.Linear(2 * dim, dim))

    def forward(self, x):
        q, k, v = self.qkv(self.ln1(x)).chunk(3, dim=-1)
        mask = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
        att = (q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])).masked_fill(mask, float("-inf"))
        x = x + self.proj(torch.softmax(att, dim=-1) @ v)
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, vocab=14, dim=8, length=6):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, dim), nn.Embedding(length, dim)
        self.blocks = nn.ModuleList([Block(dim) for _ in range(2)])
        self.head = nn.Linear(dim, vocab, bias=False)
        self.head.weight = self.tok.weight

    def forward(self, ids):
        x = self.tok(ids) + self.pos(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(x)


torch.manual_seed(0)
model = GPT()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=50)
ids = torch.randint(0, 14, (4, 7))


def train_step():
    model.train()
    total = 0.0
    optimizer.zero_grad()
    for half in (ids[:2], ids[2:]):
        logits = model(half[:, :-1])
        loss = nn.functional.cross_entropy(logits.reshape(-1, 14), half[:, 1:].reshape(-1)) / 2
        loss.backward()
        total += loss.item()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    model.eval()
    with torch.no_grad():
        model(ids[:, :-1])
    return total


for _ in range(2):
    train_step()
