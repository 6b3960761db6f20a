import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 10), nn.ReLU(), nn.Linear(10, 4))
gate = nn.Sequential(nn.Linear(6, 1), nn.Sigmoid())
optimizer = torch.optim.Adam([*net.parameters(), *gate.parameters()], lr=1e-2)
x, y = torch.randn(20, 6), torch.randint(0, 4, (20,))
for _ in range(3):
    logits = net(x) * gate(x)
    attention = torch.softmax(logits, dim=1)
    entropy = -(attention * torch.log_softmax(logits, dim=1)).sum(1).mean()
    loss = F.nll_loss(F.log_softmax(logits, dim=1), y) - 0.01 * entropy
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
