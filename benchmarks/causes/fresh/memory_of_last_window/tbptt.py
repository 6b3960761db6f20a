import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, n_in, n_hidden):
        super().__init__()
        self.n_hidden = n_hidden
        self.mix = nn.Linear(n_in + n_hidden, n_hidden)

    def forward(self, x, h):
        return torch.tanh(self.mix(torch.cat([x, h], dim=1)))


class Tracker(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell(2, 10)
        self.position = nn.Linear(10, 2)
        self.memory = None

    def forward(self, window):
        if self.memory is None:
            self.memory = torch.zeros(window.shape[1], self.cell.n_hidden)
        out = []
        for x in window:
            self.memory = self.cell(x, self.memory)
            out.append(self.position(self.memory))
        return torch.stack(out)


def windows(track, size):
    for start in range(0, len(track) - size, size):
        yield track[start:start + size], track[start + 1:start + size + 1]


def train(tracker, track):
    optimizer = torch.optim.RMSprop(tracker.parameters(), lr=1e-3)
    for past, future in windows(track, 5):
        loss = (tracker(past) - future).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
train(Tracker(), torch.randn(21, 3, 2).cumsum(0))
