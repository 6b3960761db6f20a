import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
x, y = torch.randn(32, 5), torch.randn(32, 1)
x_val, y_val = torch.randn(8, 5), torch.randn(8, 1)
for epoch in range(3):
    net.train()
    loss = (net(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    net.eval()
    with torch.no_grad():
        val = (net(x_val) - y_val).pow(2).mean().item()
    print(epoch, loss.item(), val)
