import torch
from torch import nn

from blocks import ResidualBlock

torch.manual_seed(1)
net = nn.Sequential(ResidualBlock(8), ResidualBlock(8), nn.Linear(8, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
data, labels = torch.randn(16, 8), torch.randint(0, 2, (16,))
for epoch in range(2):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(data), labels)
    loss.backward()
    optimizer.step()
