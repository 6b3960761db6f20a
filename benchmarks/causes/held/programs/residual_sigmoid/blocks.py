import torch
from torch import nn


class ResidualBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)
        self.outer = nn.Linear(width, width)

    def forward(self, x):
        out = torch.relu(self.inner(x))
        out = torch.sigmoid(self.outer(out))
        out += x
        return out
