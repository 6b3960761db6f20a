import torch
from torch import nn
import torch.nn.functional as F


class MoCo(nn.Module):
    def __init__(self, encoder, momentum=0.99):
        super().__init__()
        self.momentum = momentum
        self.query, self.key = encoder, encoder
        self.register_buffer("queue", F_normalize(torch.randn(12, 4)))

    @torch.no_grad()
    def update_key(self):
        for k, q in zip(self.key.parameters(), self.query.parameters()):
            k.mul_(self.momentum).add_(q, alpha=1 - self.momentum)

    def forward(self, a, b):
        q = F_normalize(self.query(a))
        with torch.no_grad():
            k = F_normalize(self.key(b))
        positive = (q * k).sum(1, keepdim=True)
        logits = torch.cat([positive, q @ self.queue.t()], dim=1) / 0.2
        return F.cross_entropy(logits, torch.zeros(len(q)).long())


def F_normalize(z):
    return z / (z.pow(2).sum(1, keepdim=True) + 1e-8).sqrt()


torch.manual_seed(0)
model = MoCo(nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 4)))
optimizer = torch.optim.SGD(model.query.parameters(), lr=0.05)
x = torch.randn(6, 5)


def train_step():
    loss = model(x + 0.1 * torch.randn(6, 5), x + 0.1 * torch.randn(6, 5))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    model.update_key()


for _ in range(2):
    train_step()
