import torch
from torch import nn


class BinaryLinear(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_out, n_in) * 0.5)

    def forward(self, x):
        binary = torch.sign(self.weight)
        weight = (binary - self.weight).detach() + self.weight
        return x @ weight.t()


torch.manual_seed(1)
net = nn.Sequential(BinaryLinear(6, 8), nn.ReLU(), BinaryLinear(8, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
x, y = torch.randn(14, 6), torch.randint(0, 2, (14,))
for _ in range(3):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
