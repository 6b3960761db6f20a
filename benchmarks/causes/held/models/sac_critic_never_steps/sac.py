import torch
from torch import nn


def mlp(a, b):
    return nn.Sequential(nn.Linear(a, 16), nn.ReLU(), nn.Linear(16, b))


class SAC:
    def __init__(self):
        self.actor, self.critic, self.target = mlp(3, 1), mlp(4, 1), mlp(4, 1)
        self.target.load_state_dict(self.critic.state_dict())
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=1e-3)

    def q(self, net, obs, act):
        return net(torch.cat([obs, act], dim=1))

    def update(self, obs, act, reward, following):
        with torch.no_grad():
            goal = reward + 0.99 * self.q(self.target, following, torch.tanh(self.actor(following)))
        critic_loss = (self.q(self.critic, obs, act) - goal).pow(2).mean()
        self.critic_opt.zero_grad()
        critic_loss.backward()

        actor_loss = -self.q(self.critic, obs, torch.tanh(self.actor(obs))).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()
        with torch.no_grad():
            for t, c in zip(self.target.parameters(), self.critic.parameters()):
                t.lerp_(c, 0.005)


torch.manual_seed(0)
agent = SAC()


def train():
    agent.update(torch.randn(8, 3), torch.rand(8, 1), torch.randn(8, 1), torch.randn(8, 3))


for _ in range(2):
    train()
