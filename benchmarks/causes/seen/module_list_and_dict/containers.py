import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
        self.heads = nn.ModuleDict({"a": nn.Linear(4, 1), "b": nn.Linear(4, 2)})
        self.scales = [0.5, 1.0, 2.0]

    def forward(self, x):
        for layer, scale in zip(self.layers, self.scales):
            x = x + scale * torch.tanh(layer(x))
        return {name: head(x) for name, head in self.heads.items()}


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(2):
    out = net(torch.randn(8, 4))
    loss = out["a"].pow(2).mean() + nn.functional.cross_entropy(out["b"], torch.randint(0, 2, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
