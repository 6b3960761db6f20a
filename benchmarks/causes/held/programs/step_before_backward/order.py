import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 4), torch.randn(8, 1)
for epoch in range(3):
    loss = (model(x) - y).pow(2).mean()
    optimizer.zero_grad()
    optimizer.step()
    loss.backward()
print(model.weight)
