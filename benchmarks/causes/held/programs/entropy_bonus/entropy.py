import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(3, 4)
observations = torch.randn(6, 3) * 200
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)

probs = torch.softmax(policy(observations), dim=-1)
entropy = -(probs * torch.log(probs)).sum(-1)
entropy = torch.where(torch.isnan(entropy), torch.zeros_like(entropy), entropy)
loss = probs[:, 0].mean() - 0.01 * entropy.mean()
optimizer.zero_grad()
loss.backward()
optimizer.step()
