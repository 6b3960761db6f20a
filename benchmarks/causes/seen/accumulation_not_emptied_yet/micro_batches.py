import torch
from torch import nn


def train(model, optimizer, batches, every=2):
    for i, (x, y) in enumerate(batches):
        loss = nn.functional.cross_entropy(model(x), y) / every
        loss.backward()
        if i % every == every - 1:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if i + 1 < len(batches):
                optimizer.zero_grad()


torch.manual_seed(1)
model = nn.Linear(5, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
train(model, optimizer, [(torch.randn(4, 5), torch.randint(0, 3, (4,))) for _ in range(6)])
