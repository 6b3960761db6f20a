import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 12), nn.BatchNorm1d(12), nn.ReLU())
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear(12, 3)

    def forward(self, x):
        return self.head(self.drop(self.body(x)))


def load(path=None):
    net = Net()
    net.eval()
    return net


def fit(net, x, y, epochs=3):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for _ in range(epochs):
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
net = load()
fit(net, torch.randn(30, 8) * 3, torch.randint(0, 3, (30,)))
