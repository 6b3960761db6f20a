import torch
from torch import nn


def quantise(w, bits=4):
    scale = w.abs().max().detach() / (2 ** (bits - 1) - 1)
    return torch.round(w / scale) * scale


class QuantLinear(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_out, n_in) * 0.3)
        self.bias = nn.Parameter(torch.zeros(n_out))

    def forward(self, x):
        return x @ quantise(self.weight).t() + self.bias


torch.manual_seed(0)
layer = QuantLinear(4, 3)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for _ in range(2):
    loss = nn.functional.cross_entropy(layer(torch.randn(6, 4)), torch.tensor([0, 1, 2, 0, 1, 2]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
