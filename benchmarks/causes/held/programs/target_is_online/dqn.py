import torch
from torch import nn


class DQN:
    def __init__(self, n_obs, n_actions):
        self.online = nn.Sequential(nn.Linear(n_obs, 16), nn.ReLU(), nn.Linear(16, n_actions))
        self.target = self.online
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-2)

    def learn(self, obs, action, reward, next_obs, gamma=0.9):
        with torch.no_grad():
            goal = reward + gamma * self.target(next_obs).max(dim=1).values
        q = self.online(obs).gather(1, action[:, None]).squeeze(1)
        loss = (q - goal).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


torch.manual_seed(0)
agent = DQN(4, 2)
for _ in range(3):
    agent.learn(torch.randn(8, 4), torch.randint(0, 2, (8,)), torch.randn(8), torch.randn(8, 4))
