import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(5, 16), nn.Tanh())
        self.logits = nn.Linear(16, 4)

    def forward(self, obs, legal):
        scores = self.logits(self.features(obs)).masked_fill(~legal, float("-inf"))
        return torch.softmax(scores, dim=-1)


def entropy(p):
    return -(p * torch.log(p)).sum(-1)


class Reinforce:
    def __init__(self, policy, beta):
        self.policy, self.beta = policy, beta
        self.optimizer = torch.optim.RMSprop(policy.parameters(), lr=1e-3)

    def losses(self, obs, legal, actions, returns):
        p = self.policy(obs, legal)
        chosen = p.gather(1, actions.unsqueeze(1)).squeeze(1)
        return {"pg": -(chosen.log() * returns).mean(), "entropy": -self.beta * entropy(p).mean()}

    def update(self, *batch):
        losses = self.losses(*batch)
        self.optimizer.zero_grad()
        (losses["pg"] + losses["entropy"]).backward()
        self.optimizer.step()


torch.manual_seed(0)
agent = Reinforce(Policy(), beta=0.01)
legal = torch.tensor([[True, True, False, True]] * 9)
agent.update(torch.randn(9, 5), legal, torch.zeros(9).long(), torch.randn(9))
