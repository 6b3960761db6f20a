import torch
from torch import nn


class Highway(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.value = nn.Linear(dim, dim)
        self.gate = nn.Linear(dim, dim)

    def forward(self, x):
        carry = torch.sigmoid(self.gate(x))
        mixed = carry * torch.tanh(self.value(x))
        carry.mul_(-1).add_(1)
        return mixed + carry * x


class CharModel(nn.Module):
    def __init__(self, chars=15, dim=12, layers=2):
        super().__init__()
        self.chars = nn.Embedding(chars, dim)
        self.highway = nn.Sequential(*(Highway(dim) for _ in range(layers)))
        self.score = nn.Linear(dim, chars)

    def forward(self, text):
        return self.score(self.highway(self.chars(text)))


def fit(model, texts, steps):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(steps):
        scores = model(texts[:, :-1])
        loss = nn.functional.cross_entropy(scores.reshape(-1, scores.shape[-1]), texts[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
fit(CharModel(), torch.randint(0, 15, (4, 9)), steps=3)
