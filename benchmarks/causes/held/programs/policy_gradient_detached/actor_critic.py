import torch
from torch import nn


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor = nn.Linear(4, 2)
        self.critic = nn.Linear(4, 1)
        self.buffer = []

    def act(self, state):
        logp = torch.log_softmax(self.actor(state), dim=-1)
        action = logp.argmax().item()
        self.buffer.append((logp[action].detach(), self.critic(state)))
        return action

    def losses(self, rewards):
        actor, critic = 0, 0
        for (logp, value), r in zip(self.buffer, rewards):
            advantage = r - value.detach()
            actor = actor - (logp * advantage).sum()
            critic = critic + (value - r).pow(2).sum()
        return actor, critic


torch.manual_seed(0)
agent = ActorCritic()
optimizer = torch.optim.Adam(agent.parameters(), lr=0.01)
for t in range(5):
    agent.act(torch.randn(4))
actor_loss, critic_loss = agent.losses([1.0, 0.0, 1.0, 1.0, 0.0])
optimizer.zero_grad()
(actor_loss + critic_loss).backward()
optimizer.step()
