import torch
from torch import nn


def build(n_in, n_out):
    return nn.Sequential(nn.Linear(n_in, 10), nn.Tanh(), nn.Linear(10, n_out))


torch.manual_seed(0)
actor, critic = build(3, 1), build(4, 1)
actor_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)

for step in range(3):
    state, reward = torch.randn(8, 3), torch.randn(8, 1)
    action = torch.tanh(actor(state))
    critic_loss = (critic(torch.cat([state, action.detach()], 1)) - reward).pow(2).mean()
    critic_opt.zero_grad()
    critic_loss.backward()
    critic_opt.step()

    actor_loss = -critic(torch.cat([state, action], 1)).mean()
    actor.zero_grad()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()
