import torch
from torch import nn


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.pi, self.v = nn.Linear(4, 3), nn.Linear(4, 1)

    def logp(self, obs, act):
        return torch.log_softmax(self.pi(obs), -1).gather(1, act[:, None]).squeeze(1)


torch.manual_seed(0)
agent = Agent()
optimizer = torch.optim.Adam(agent.parameters(), lr=3e-4)
obs, act, adv, ret = torch.randn(16, 4), torch.randint(0, 3, (16,)), torch.randn(16), torch.randn(16)
with torch.no_grad():
    old = agent.logp(obs, act)
for epoch in range(4):
    ratio = (agent.logp(obs, act) - old).exp()
    surrogate = torch.minimum(ratio * adv, ratio.clamp(0.8, 1.2) * adv)
    loss = -surrogate.mean() + 0.5 * (agent.v(obs).squeeze(1) - ret).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
    optimizer.step()
