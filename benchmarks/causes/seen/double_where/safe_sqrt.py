import torch
from torch import nn

torch.manual_seed(0)
fc = nn.Linear(5, 4)
scale = nn.Parameter(torch.ones(4))
optimizer = torch.optim.SGD([*fc.parameters(), scale], lr=0.1)
for _ in range(2):
    h = fc(torch.randn(10, 5))
    positive = h > 0
    root = torch.where(positive, torch.where(positive, h, torch.ones_like(h)).sqrt(), torch.zeros_like(h))
    loss = (scale * root - 1).pow(2).mean() + 1e-3 * (h.pow(2).sum(1) + 1e-8).sqrt().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
