import torch
import torch.nn as nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 3))
value = nn.Linear(2, 1)
optimizer = torch.optim.Adam(list(policy.parameters()) + list(value.parameters()), lr=0.01)
reward_table = torch.tensor([0.0, 1.0, 0.3])

running = torch.zeros(1)
for episode in range(4):
    obs = torch.randn(5, 2)
    logp = torch.log_softmax(policy(obs), dim=1)
    actions = torch.tensor([0, 1, 2, 1, 0])
    rewards = reward_table[actions]
    running = 0.9 * running + 0.1 * value(obs).pow(2).mean()
    advantage = rewards - running
    chosen = logp.gather(1, actions.unsqueeze(1)).squeeze(1)
    loss = -(chosen * advantage).mean() + (value(obs).squeeze(1) - rewards).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
