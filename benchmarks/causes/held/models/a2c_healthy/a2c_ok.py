import torch
from torch import nn


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(4, 16), nn.Tanh())
        self.pi, self.v = nn.Linear(16, 3), nn.Linear(16, 1)

    def forward(self, obs):
        h = self.trunk(obs)
        return torch.log_softmax(self.pi(h), -1), self.v(h).squeeze(-1)


torch.manual_seed(0)
agent = Agent()
optimizer = torch.optim.RMSprop(agent.parameters(), lr=7e-4)


def rollout(steps=5):
    logps, values, entropies, rewards = [], [], [], []
    obs = torch.randn(4)
    for _ in range(steps):
        logp, value = agent(obs)
        action = int(torch.argmax(logp + torch.rand(3)))
        logps.append(logp[action])
        values.append(value)
        entropies.append(-(logp.exp() * logp).sum())
        rewards.append(float(action == 1))
        obs = torch.randn(4)
    return logps, values, entropies, rewards


def update():
    logps, values, entropies, rewards = rollout()
    returns, running = [], 0.0
    for r in reversed(rewards):
        running = r + 0.99 * running
        returns.insert(0, running)
    returns, values = torch.tensor(returns), torch.stack(values)
    advantage = (returns - values).detach()
    loss = -(torch.stack(logps) * advantage).mean() + 0.5 * (returns - values).pow(2).mean()
    loss = loss - 0.01 * torch.stack(entropies).mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
    optimizer.step()


for _ in range(2):
    update()
