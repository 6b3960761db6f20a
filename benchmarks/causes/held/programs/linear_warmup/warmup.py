import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 3)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
warmup = 10
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1.0, (s + 1) / warmup))
for step in range(4):
    x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    nn.utils.clip_grad_value_(net.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    if step < 3:
        optimizer.zero_grad()
