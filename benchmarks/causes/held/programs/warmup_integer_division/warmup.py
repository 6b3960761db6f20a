import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 10), nn.Tanh(), nn.Linear(10, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
warmup_steps = 100
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(step // warmup_steps, 1))
x, y = torch.randn(16, 3), torch.randn(16, 1)

losses = []
for step in range(20):
    optimizer.zero_grad()
    loss = (net(x) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
    scheduler.step()
    losses.append(loss.item())
print(losses[0], losses[-1])
