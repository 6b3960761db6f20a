import torch
from torch import nn


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.alpha * grad, None


torch.manual_seed(0)
features, label, domain = nn.Linear(5, 8), nn.Linear(8, 2), nn.Linear(8, 2)
params = [*features.parameters(), *label.parameters(), *domain.parameters()]
optimizer = torch.optim.SGD(params, lr=0.05)
x, y, d = torch.randn(12, 5), torch.randint(0, 2, (12,)), torch.randint(0, 2, (12,))
for _ in range(3):
    h = torch.relu(features(x))
    loss = nn.functional.cross_entropy(label(h), y)
    loss = loss + nn.functional.cross_entropy(domain(Reverse.apply(h, 0.3)), d)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
