import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.router = nn.Linear(4, 2)
        self.experts = {"low": nn.Linear(4, 1), "high": nn.Linear(4, 1)}

    def forward(self, x):
        gate = torch.softmax(self.router(x), dim=1)
        both = torch.cat([self.experts["low"](x), self.experts["high"](x)], dim=1)
        return (gate * both).sum(1)


torch.manual_seed(0)
model = Experts()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(30, 4)
y = x.sum(1)


def closure():
    optimizer.zero_grad()
    loss = (model(x) - y).pow(2).mean()
    loss.backward()
    return loss


for _ in range(3):
    closure()
    optimizer.step()
