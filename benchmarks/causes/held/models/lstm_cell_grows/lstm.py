import torch
from torch import nn


class LSTM(nn.Module):
    def __init__(self, n_in, hidden):
        super().__init__()
        self.hidden = hidden
        self.gates = nn.Linear(n_in + hidden, 4 * hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, xs):
        h = c = torch.zeros(xs.shape[1], self.hidden)
        for x in xs:
            i, f, g, o = self.gates(torch.cat([x, h], 1)).chunk(4, dim=1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return self.out(h)


class Fit:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
        self.optimizer.zero_grad()

    def step(self, x, y):
        loss = (self.model(x) - y).pow(2).mean()
        loss.backward()
        self.optimizer.step()
        return loss.item()


torch.manual_seed(0)
model = LSTM(2, 6)
fit = Fit(model)
x, y = torch.randn(8, 5, 2), torch.randn(5, 1)
for _ in range(3):
    fit.step(x, y)
