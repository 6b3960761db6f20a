import copy
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x, y = torch.randn(12, 3), torch.randn(12, 1)
best, best_state = float("inf"), None
for epoch in range(5):
    optimizer.zero_grad()
    loss = (model(x) - y).pow(2).mean()
    if loss.item() < best:
        best, best_state = loss.item(), copy.deepcopy(model.state_dict())
    loss.backward()
    optimizer.step()
