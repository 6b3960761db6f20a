import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)


def reset(layer):
    layer.weight = nn.Parameter(torch.randn(layer.weight.shape) * 0.1)
    layer.bias = nn.Parameter(torch.zeros(layer.bias.shape))


x, y = torch.randn(10, 4), torch.randn(10, 1)
for epoch in range(6):
    if epoch == 3:
        reset(model[2])
    loss = (model(x) - y).pow(2).mean()
    model.zero_grad()
    loss.backward()
    optimizer.step()
