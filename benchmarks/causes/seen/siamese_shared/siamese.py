import torch
from torch import nn

torch.manual_seed(0)
embed = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.SGD(embed.parameters(), lr=0.05)
for _ in range(3):
    a, p, n = torch.randn(6, 5), torch.randn(6, 5), torch.randn(6, 5)
    za, zp, zn = embed(a), embed(p), embed(n)
    loss = torch.relu((za - zp).pow(2).sum(1) - (za - zn).pow(2).sum(1) + 1.0).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
