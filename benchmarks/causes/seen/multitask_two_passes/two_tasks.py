import torch
from torch import nn

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(5, 10), nn.Tanh())
first, second = nn.Linear(10, 1), nn.Linear(10, 3)
optimizer = torch.optim.SGD([*body.parameters(), *first.parameters(), *second.parameters()], lr=0.1)
x, y1, y2 = torch.randn(12, 5), torch.randn(12, 1), torch.randint(0, 3, (12,))
for epoch in range(4):
    optimizer.zero_grad()
    h = body(x)
    loss1 = nn.functional.mse_loss(first(h), y1)
    loss2 = nn.functional.cross_entropy(second(h), y2)
    loss1.backward(retain_graph=True)
    loss2.backward()
    optimizer.step()
