import torch
from torch import nn


class Backbone(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(6, 12), nn.ReLU())
        self.fc = nn.Linear(12, classes)

    def forward(self, x):
        return self.fc(self.features(x))


torch.manual_seed(0)
net = Backbone()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
net.fc = nn.Linear(12, 2)
x, y = torch.randn(16, 6), torch.randint(0, 2, (16,))
for epoch in range(4):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
