import torch
from torch import nn

torch.manual_seed(3)
frozen = nn.Linear(5, 5)
for p in frozen.parameters():
    p.requires_grad = False
down = nn.Parameter(torch.randn(5, 2) / 5 ** 0.5)
up = nn.Parameter(torch.zeros(2, 5))
optimizer = torch.optim.Adam([down, up], lr=1e-2)
x = torch.randn(9, 5)
loss = (frozen(x) + x @ down @ up).pow(2).mean()
optimizer.zero_grad()
loss.backward()
optimizer.step()
