import math
import torch
from torch import nn


class GaussianActorCritic(nn.Module):
    def __init__(self, n_obs=3, n_act=2):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_obs, 12), nn.Tanh())
        self.mean, self.value = nn.Linear(12, n_act), nn.Linear(12, 1)
        self.log_std = nn.Parameter(torch.zeros(n_act))

    def forward(self, obs):
        h = self.trunk(obs)
        return self.mean(h), self.log_std.exp(), self.value(h).squeeze(-1)


def log_prob(mean, std, action):
    return (-0.5 * ((action - mean) / std) ** 2 - std.log() - 0.5 * math.log(2 * math.pi)).sum(-1)


def sample(mean, std):
    mean = mean.detach()
    action = mean + std.detach() * torch.randn_like(mean)
    return action, log_prob(mean, std, action)


torch.manual_seed(0)
model = GaussianActorCritic()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)


def update():
    obs, returns = torch.randn(20, 3), torch.randn(20)
    mean, std, value = model(obs)
    action, logp = sample(mean, std)
    advantage = returns - action.pow(2).sum(-1) - value.detach()
    loss = -(logp * advantage).mean() + 0.5 * (value - returns).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


for _ in range(2):
    update()
