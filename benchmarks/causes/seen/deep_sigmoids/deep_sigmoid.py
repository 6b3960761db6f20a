import torch
from torch import nn

torch.manual_seed(0)
blocks = []
for i in range(14):
    blocks += [nn.Linear(8, 8), nn.Sigmoid()]
model = nn.Sequential(*blocks, nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 8), torch.randn(16, 1)
for step in range(3):
    optimizer.zero_grad()
    loss = (model(x) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
