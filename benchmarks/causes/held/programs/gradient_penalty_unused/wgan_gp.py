import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))


def gradient_penalty(real, fake):
    eps = torch.rand(real.shape[0], 1)
    mixed = (eps * real + (1 - eps) * fake).requires_grad_(True)
    scores = critic(mixed.detach())
    gradients = torch.autograd.grad(scores.sum(), mixed, create_graph=True)[0]
    return ((gradients.norm(dim=1) - 1) ** 2).mean()


real, fake = torch.randn(6, 3), torch.randn(6, 3)
loss = critic(fake).mean() - critic(real).mean() + 10 * gradient_penalty(real, fake)
loss.backward()
