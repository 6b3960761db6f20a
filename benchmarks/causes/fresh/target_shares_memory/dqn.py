import copy

import torch
from torch import nn


class Agent:
    def __init__(self, obs=4, actions=3, gamma=0.9, tau=0.05):
        self.online = nn.Sequential(nn.Linear(obs, 16), nn.ReLU(), nn.Linear(16, actions))
        self.target = copy.deepcopy(self.online)
        self.gamma, self.tau = gamma, tau
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-2)
        self.sync()

    def sync(self):
        for theirs, mine in zip(self.target.parameters(), self.online.parameters()):
            theirs.data = mine.data

    def soft_update(self):
        with torch.no_grad():
            for theirs, mine in zip(self.target.parameters(), self.online.parameters()):
                theirs.mul_(1 - self.tau).add_(mine, alpha=self.tau)

    def learn(self, s, a, r, s2):
        q = self.online(s).gather(1, a.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            best = self.target(s2).max(dim=1)[0]
        loss = nn.functional.mse_loss(q, r + self.gamma * best)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.soft_update()


torch.manual_seed(0)
agent = Agent()
for _ in range(5):
    agent.learn(torch.randn(16, 4), torch.randint(0, 3, (16,)), torch.randn(16), torch.randn(16, 4))
