import torch
from torch import nn
import torch.nn.functional as F


def propagate(h, edges):
    source, target = edges
    out = torch.zeros_like(h)
    return out.index_add_(0, target, h[source])


class GraphNet(nn.Module):
    def __init__(self, nodes, dim, classes):
        super().__init__()
        self.emb = nn.Embedding(nodes, dim)
        self.lin = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, classes)

    def encode(self):
        ids = torch.arange(self.emb.weight.shape[0])
        return torch.relu(self.lin(self.emb(ids)))

    def forward(self, h, edges):
        return self.out(propagate(h, edges))


torch.manual_seed(0)
edges = torch.tensor([[0, 1, 2, 3, 4, 0], [1, 2, 3, 4, 0, 3]])
labels = torch.tensor([0, 1, 0, 1, 1])
net = GraphNet(5, 4, 2)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
h = net.encode()
for epoch in range(3):
    opt.zero_grad()
    loss = F.cross_entropy(net(h, edges), labels)
    loss.backward()
    opt.step()
