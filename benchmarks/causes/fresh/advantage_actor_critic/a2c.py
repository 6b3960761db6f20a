import torch
from torch import nn


class ActorCritic(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 32), nn.Tanh())
        self.actor = nn.Linear(32, actions)
        self.critic = nn.Linear(32, 1)

    def forward(self, obs):
        h = self.body(obs)
        return torch.log_softmax(self.actor(h), dim=-1), self.critic(h).squeeze(-1)


class A2C:
    def __init__(self, net, gamma=0.95, entropy=0.01):
        self.net, self.gamma, self.entropy = net, gamma, entropy
        self.optimizer = torch.optim.RMSprop(net.parameters(), lr=7e-4)

    @torch.no_grad()
    def rollout(self, length, envs):
        obs, actions, rewards = [], [], []
        state = torch.randn(envs, 4)
        for _ in range(length):
            log_p, _ = self.net(state)
            action = (log_p.exp().cumsum(-1) < torch.rand(envs, 1)).sum(-1).clamp(max=2)
            obs.append(state)
            actions.append(action)
            rewards.append(-(state[:, 0] - action.float()).abs())
            state = 0.9 * state + 0.1 * torch.randn(envs, 4)
        future, returns = self.net(state)[1], []
        for reward in reversed(rewards):
            future = reward + self.gamma * future
            returns.insert(0, future)
        return torch.cat(obs), torch.cat(actions), torch.cat(returns)

    def update(self):
        obs, actions, returns = self.rollout(5, 4)
        log_p, value = self.net(obs)
        advantage = returns - value
        policy = -(log_p.gather(1, actions.unsqueeze(1)).squeeze(1) * advantage.detach()).mean()
        entropy = -(log_p.exp() * log_p).sum(-1).mean()
        self.optimizer.zero_grad()
        (policy + 0.5 * advantage.pow(2).mean() - self.entropy * entropy).backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.optimizer.step()


torch.manual_seed(0)
a2c = A2C(ActorCritic(4, 3))
for _ in range(3):
    a2c.update()
