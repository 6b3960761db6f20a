import torch
from torch import nn

torch.manual_seed(0)
features = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU())
head = nn.Linear(8, 2)
model = nn.Sequential(features, head)
x, y = torch.randn(32, 6), torch.randint(0, 2, (32,))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train_one(i):
    model.train()
    loss = nn.functional.cross_entropy(model(x[i : i + 8]), y[i : i + 8])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    model[0].eval()


def more(i):
    loss = nn.functional.cross_entropy(model(x[i : i + 8]), y[i : i + 8])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


train_one(0)
more(8)
more(16)
