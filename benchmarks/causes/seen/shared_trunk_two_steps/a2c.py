import torch
import torch.nn as nn
import torch.nn.functional as F


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh())
        self.pi = nn.Linear(8, 2)
        self.v = nn.Linear(8, 1)

    def forward(self, obs):
        h = self.trunk(obs)
        return F.log_softmax(self.pi(h), dim=-1), self.v(h).squeeze(-1)


torch.manual_seed(5)
agent = Agent()
actor_opt = torch.optim.Adam(list(agent.trunk.parameters()) + list(agent.pi.parameters()), lr=0.01)
critic_opt = torch.optim.Adam(list(agent.trunk.parameters()) + list(agent.v.parameters()), lr=0.01)
obs, actions, returns = torch.randn(6, 4), torch.tensor([0, 1, 1, 0, 1, 0]), torch.randn(6)

logp, value = agent(obs)
advantage = (returns - value).detach()
actor_loss = -(logp.gather(1, actions[:, None]).squeeze(1) * advantage).mean()
critic_loss = F.mse_loss(value, returns)

actor_opt.zero_grad()
actor_loss.backward(retain_graph=True)
actor_opt.step()
critic_opt.zero_grad()
critic_loss.backward()
critic_opt.step()
