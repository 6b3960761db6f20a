import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
value = nn.Linear(3, 1)
optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=0.01)

for episode in range(3):
    states, actions = torch.randn(10, 3), torch.randint(0, 2, (10,))
    returns = torch.randn(10).cumsum(0).flip(0)
    logp = torch.log_softmax(policy(states), dim=1).gather(1, actions[:, None]).squeeze(1)
    baseline = value(states).squeeze(1)
    advantage = returns - baseline.detach()
    policy_loss = -(logp * advantage).mean()
    value_loss = (baseline - returns).pow(2).mean()
    optimizer.zero_grad()
    (policy_loss + 0.5 * value_loss).backward()
    optimizer.step()
