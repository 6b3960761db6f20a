import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 4)


def add_position(h):
    for i, row in enumerate(h):
        row += 0.1 * i
    return h


x = torch.randn(3, 4)
h = add_position(model(x))
loss = h.pow(2).mean()
loss.backward()
