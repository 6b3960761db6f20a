import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)


def contrastive(z1, z2):
    distance = (z1 - z2).pow(2).sum(1)
    values = [d.item() for d in distance]
    return torch.tensor(values, requires_grad=True).mean()


for epoch in range(3):
    optimizer.zero_grad()
    loss = contrastive(net(torch.randn(5, 4)), net(torch.randn(5, 4)))
    loss.backward()
    optimizer.step()
