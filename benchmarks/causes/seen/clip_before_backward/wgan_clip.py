import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1, bias=False))
optimizer = torch.optim.RMSprop(critic.parameters(), lr=5e-4)
real, fake = torch.randn(16, 2) + 1, torch.randn(16, 2) - 1

for it in range(2):
    scores_real, scores_fake = critic(real), critic(fake)
    loss = scores_fake.mean() - scores_real.mean()
    optimizer.zero_grad()
    for p in critic.parameters():
        p.data.clamp_(-0.01, 0.01)
    loss.backward()
    optimizer.step()
