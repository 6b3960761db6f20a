import torch
from torch import nn


class LowRank(nn.Module):
    def __init__(self, base, rank=2, alpha=4.0):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad = False
        self.down = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features ** 0.5)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.down.t()) @ self.up.t()


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(dim, dim) for _ in range(3))

    def forward(self, x):
        scores = self.query(x) @ self.key(x).transpose(1, 2) / x.shape[-1] ** 0.5
        return x + torch.softmax(scores, dim=-1) @ self.value(x)


def add_adapters(module, names=("query", "value")):
    for p in module.parameters():
        p.requires_grad = False
    for child in module.modules():
        for name in names:
            if isinstance(getattr(child, name, None), nn.Linear):
                setattr(child, name, LowRank(getattr(child, name)))
    return module


torch.manual_seed(0)
backbone = add_adapters(nn.Sequential(Attention(8), Attention(8)))
head = nn.Linear(8, 3)
trainable = [p for p in [*backbone.parameters(), *head.parameters()] if p.requires_grad]
optimizer = torch.optim.AdamW(trainable, lr=1e-2)
for _ in range(3):
    x, y = torch.randn(6, 5, 8), torch.randint(0, 3, (6,))
    loss = nn.functional.cross_entropy(head(backbone(x).mean(dim=1)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
