import torch
from torch import nn


class RNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.Linear(3 + 8, 8), nn.Linear(8, 1)

    def forward(self, xs, h):
        outs = []
        for x in xs:
            h = torch.tanh(self.cell(torch.cat([x, h], dim=1)))
            outs.append(self.out(h))
        return torch.stack(outs), h


torch.manual_seed(0)
model = RNN()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
data, target = torch.randn(12, 4, 3), torch.randn(12, 4, 1)
h = torch.zeros(4, 8)
for start in range(0, 12, 4):
    h = h.detach()
    out, h = model(data[start : start + 4], h)
    loss = (out - target[start : start + 4]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
