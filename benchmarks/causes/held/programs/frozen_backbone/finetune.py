import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU())
head = nn.Linear(16, 3)
for p in backbone.parameters():
    p.requires_grad = False
backbone.eval()
optimizer = torch.optim.Adam(head.parameters(), lr=1e-2)
x, y = torch.randn(20, 8), torch.randint(0, 3, (20,))
for _ in range(3):
    with torch.no_grad():
        features = backbone(x)
    loss = nn.functional.cross_entropy(head(features), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
