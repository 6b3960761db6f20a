import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y = torch.randn(20, 3), torch.randn(20, 1)
running, best = 0.0, float("inf")
for epoch in range(4):
    optimizer.zero_grad()
    loss = (model(x) - y).pow(2).mean()
    penalty = sum(p.pow(2).sum() for p in model.parameters())
    total = loss + 1e-4 * penalty
    total.backward()
    optimizer.step()
    running += loss.item()
    best = min(best, float(loss))
    print(f"{epoch} {loss.item():.4f} {penalty.detach().numpy():.3f}")
