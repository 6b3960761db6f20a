import torch
from torch import nn
import torch.nn.functional as F


class SAGE(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.near, self.self_ = nn.Linear(n_in, n_out, bias=False), nn.Linear(n_in, n_out, bias=False)

    def forward(self, h, edges):
        source, target = edges
        total = torch.zeros(h.shape[0], h.shape[1]).index_add_(0, target, h[source])
        out = torch.relu(self.near(total) + self.self_(h))
        return out / out.pow(2).sum(dim=1, keepdim=True).sqrt()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = SAGE(3, 6), SAGE(6, 6)
        self.out = nn.Linear(6, 2)

    def forward(self, x, edges):
        return self.out(self.second(self.first(x, edges), edges))


torch.manual_seed(0)
x = torch.randn(6, 3)
x[5] = 0.0
edges = torch.tensor([[0, 1, 2, 3, 4, 0, 5], [1, 2, 3, 4, 0, 3, 4]])
labelled, y = torch.tensor([0, 1, 2]), torch.tensor([0, 1, 1])
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def step():
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x, edges)[labelled], y)
    loss.backward()


step()
