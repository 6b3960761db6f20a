import torch
from torch import nn

torch.manual_seed(1)
critic = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
generator = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
c_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)


def penalty(real, fake):
    mix = torch.rand(real.shape[0], 1)
    points = (mix * real + (1 - mix) * fake).requires_grad_(True)
    grad = torch.autograd.grad(critic(points).sum(), points, create_graph=True)[0]
    return ((grad.norm(dim=1) - 1) ** 2).mean()


for _ in range(3):
    real, fake = torch.randn(6, 3), generator(torch.randn(6, 2)).detach()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(real, fake)
    c_opt.zero_grad()
    loss.backward()
    c_opt.step()
