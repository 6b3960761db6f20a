import torch
import torch.nn as nn

torch.manual_seed(0)


class GatedCell(nn.Module):
    def __init__(self, n_in, n_hidden):
        super().__init__()
        self.candidate = nn.Linear(n_in + n_hidden, n_hidden)
        self.gate = nn.Linear(n_in + n_hidden, n_hidden)

    def forward(self, x, h):
        both = torch.cat([x, h], dim=1)
        z = torch.sigmoid(self.gate(both))
        new = torch.tanh(self.candidate(both))
        new *= z
        return new + (1 - z) * h


cell = GatedCell(3, 5)
readout = nn.Linear(5, 1)
optimizer = torch.optim.SGD(list(cell.parameters()) + list(readout.parameters()), lr=0.1)
sequence = torch.randn(6, 4, 3)
target = torch.randn(4, 1)

h = torch.zeros(4, 5)
for x in sequence:
    h = cell(x, h)
loss = nn.functional.mse_loss(readout(h), target)
optimizer.zero_grad()
loss.backward()
optimizer.step()
