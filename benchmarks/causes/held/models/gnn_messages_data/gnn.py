import torch
from torch import nn
import torch.nn.functional as F


class Layer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.message, self.update = nn.Linear(dim, dim), nn.Linear(2 * dim, dim)

    def forward(self, h, edges):
        source, target = edges
        messages = torch.relu(self.message(h[source]))
        pooled = torch.zeros_like(h)
        pooled.data.index_add_(0, target, messages.data)
        return torch.relu(self.update(torch.cat([h, pooled], dim=1)))


class GNN(nn.Module):
    def __init__(self, n_in, dim, classes):
        super().__init__()
        self.enter = nn.Linear(n_in, dim)
        self.layers = nn.ModuleList([Layer(dim), Layer(dim)])
        self.out = nn.Linear(dim, classes)

    def forward(self, x, edges):
        h = self.enter(x)
        for layer in self.layers:
            h = h + layer(h, edges)
        return self.out(h)


torch.manual_seed(0)
edges = torch.tensor([[0, 1, 2, 3, 4, 5, 0, 2], [1, 2, 3, 4, 5, 0, 3, 5]])
x, y = torch.randn(6, 3), torch.tensor([0, 1, 2, 0, 1, 2])
model = GNN(3, 8, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


def epoch():
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x, edges), y)
    loss.backward()
    optimizer.step()


for _ in range(2):
    epoch()
