import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(5, 5)
out = nn.Linear(5, 1)
mask = (layer.weight.abs() > 1.0).float()
layer.weight.register_hook(lambda g: g * mask)
optimizer = torch.optim.SGD([*layer.parameters(), *out.parameters()], lr=0.1)
x, y = torch.randn(10, 5), torch.randn(10, 1)
for _ in range(2):
    optimizer.zero_grad()
    loss = (out(torch.tanh(layer(x))) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
