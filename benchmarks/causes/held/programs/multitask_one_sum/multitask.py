import torch
from torch import nn
import torch.nn.functional as F


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(6, 12)
        self.depth, self.label = nn.Linear(12, 1), nn.Linear(12, 4)

    def forward(self, x):
        h = torch.relu(self.trunk(x))
        return self.depth(h), self.label(h)


torch.manual_seed(0)
model = Shared()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x, d, c = torch.randn(16, 6), torch.randn(16, 1), torch.randint(0, 4, (16,))
for _ in range(3):
    depth, label = model(x)
    loss = F.l1_loss(depth, d) + 0.5 * F.cross_entropy(label, c)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
