import torch
from torch import nn


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))
        self.compare = nn.Linear(4, 1)

    def features(self, x):
        with torch.no_grad():
            z = self.embed(x)
        return z

    def forward(self, a, b):
        return self.compare((self.features(a) - self.features(b)).abs())


torch.manual_seed(0)
net = Siamese()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
a, b, same = torch.randn(10, 6), torch.randn(10, 6), torch.randint(0, 2, (10, 1)).float()
for _ in range(3):
    loss = nn.functional.binary_cross_entropy_with_logits(net(a, b), same)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
