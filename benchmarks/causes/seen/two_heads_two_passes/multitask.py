import torch
from torch import nn
import torch.nn.functional as F


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 8), nn.Sigmoid())
        self.age = nn.Linear(8, 1)
        self.kind = nn.Linear(8, 3)

    def forward(self, x):
        h = self.body(x)
        return self.age(h), self.kind(h)


def train_step(model, optimizer, x, age, kind):
    optimizer.zero_grad()
    age_pred, kind_pred = model(x)
    age_loss = F.l1_loss(age_pred.squeeze(1), age)
    kind_loss = F.cross_entropy(kind_pred, kind)
    age_loss.backward()
    kind_loss.backward()
    optimizer.step()


torch.manual_seed(0)
model = TwoHeads()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
train_step(model, optimizer, torch.randn(7, 5), torch.rand(7), torch.randint(0, 3, (7,)))
