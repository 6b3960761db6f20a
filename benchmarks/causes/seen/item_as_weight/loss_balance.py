import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
x, y = torch.randn(15, 4), torch.randn(15, 2)
for _ in range(3):
    out = net(x)
    a = (out[:, 0] - y[:, 0]).pow(2).mean()
    b = (out[:, 1] - y[:, 1]).abs().mean()
    balance = a.item() / (b.item() + 1e-8)
    loss = a + balance * b
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
