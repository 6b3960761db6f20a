import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n))

    def penalty(self):
        return torch.sigmoid(self.logits).sum().item()


torch.manual_seed(0)
gate = Gate(6)
model = nn.Linear(6, 1)
optimizer = torch.optim.SGD([*model.parameters(), *gate.parameters()], lr=0.1)
x, y = torch.randn(20, 6), torch.randn(20, 1)
for epoch in range(3):
    optimizer.zero_grad()
    error = (model(x) - y).pow(2).mean()
    loss = error + 0.05 * gate.penalty()
    loss.backward()
    optimizer.step()
