import numpy as np
import torch
from torch import nn


class Forecaster(nn.Module):
    def __init__(self, history, horizon):
        super().__init__()
        self.history = history
        self.trend = nn.Linear(history, horizon)
        self.season = nn.Sequential(nn.Linear(history, 24), nn.Tanh(), nn.Linear(24, horizon))

    def forward(self, x):
        return self.trend(x) + self.season(x)


def smape(pred, true):
    a, b = pred.detach().numpy(), true.numpy()
    return np.mean(2 * np.abs(a - b) / (np.abs(a) + np.abs(b) + 1e-8))


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.RMSprop(model.parameters(), lr=lr)
        self.history = []

    def training_step(self, window, target):
        score = smape(self.model(window), target)
        loss = torch.tensor(float(score), requires_grad=True)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss

    def fit(self, series, epochs):
        for _ in range(epochs):
            for start in range(0, 12, 4):
                window = series[:, start:start + self.model.history]
                target = series[:, start + self.model.history:][:, :3]
                loss = self.training_step(window, target)
            self.history.append(loss.item())


torch.manual_seed(0)
series = torch.sin(torch.linspace(0, 30, 160)).reshape(8, 20) + 2
trainer = Trainer(Forecaster(5, 3), lr=1e-3)
trainer.fit(series, epochs=2)
print(trainer.history)
