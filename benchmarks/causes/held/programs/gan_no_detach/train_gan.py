import torch
from torch import nn

torch.manual_seed(2)
latent, width = 4, 6


def mlp(n_in, n_out):
    return nn.Sequential(nn.Linear(n_in, 12), nn.Tanh(), nn.Linear(12, n_out))


generator, critic = mlp(latent, width), mlp(width, 1)
g_opt = torch.optim.RMSprop(generator.parameters(), lr=1e-3)
c_opt = torch.optim.RMSprop(critic.parameters(), lr=1e-3)
real = torch.randn(10, width)

for it in range(3):
    fake = generator(torch.randn(10, latent))
    c_loss = critic(fake).mean() - critic(real).mean()
    c_opt.zero_grad()
    c_loss.backward()
    c_opt.step()

    g_loss = -critic(fake).mean()
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
