import torch
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.up = nn.Linear(dim, 2 * dim)
        self.down = nn.Linear(2 * dim, dim)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


class Tagger(nn.Module):
    def __init__(self, words=20, dim=8, tags=5):
        super().__init__()
        self.words = nn.Embedding(words, dim)
        self.blocks = nn.Sequential(*[FeedForward(dim) for _ in range(2)])
        self.tags = nn.Linear(dim, tags)

    def forward(self, tokens):
        return self.tags(self.blocks(self.words(tokens)))


def configure_optimizer(model, lr=1e-2, weight_decay=0.1):
    decay, no_decay = [], []
    for name, p in model.named_parameters():
        (no_decay if p.ndim < 2 else decay).append(p)
    groups = [{"params": decay, "weight_decay": weight_decay}]
    return torch.optim.AdamW(groups, lr=lr)


torch.manual_seed(0)
model = Tagger()
optimizer = configure_optimizer(model)


def train_step():
    tokens, tags = torch.randint(0, 20, (3, 6)), torch.randint(0, 5, (3, 6))
    loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), tags.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


for _ in range(3):
    train_step()
