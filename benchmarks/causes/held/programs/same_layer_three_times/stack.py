import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width)] * depth)

    def forward(self, x):
        for layer in self.layers:
            x = x + torch.tanh(layer(x))
        return x


torch.manual_seed(0)
encoder = Encoder(5, 3)
optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
x = torch.randn(7, 5)
for _ in range(2):
    optimizer.zero_grad()
    loss = encoder(x).pow(2).mean()
    loss.backward()
    optimizer.step()
