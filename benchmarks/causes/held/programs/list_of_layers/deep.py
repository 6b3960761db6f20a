import torch
from torch import nn


class Deep(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = [nn.Linear(width, width) for _ in range(depth)]
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.out(x)


torch.manual_seed(0)
net = Deep(6, 3)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
x, y = torch.randn(20, 6), torch.randn(20, 1)
for epoch in range(3):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
