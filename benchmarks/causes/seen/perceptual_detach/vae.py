import torch
from torch import nn


class VAE(nn.Module):
    def __init__(self, n=8, z=2):
        super().__init__()
        self.enc = nn.Linear(n, 16)
        self.mu, self.logvar = nn.Linear(16, z), nn.Linear(16, z)
        self.dec = nn.Linear(z, n)

    def sample(self, mu, logvar):
        std = (0.5 * logvar).exp()
        return torch.normal(mu.detach(), std.detach())

    def forward(self, x):
        h = torch.relu(self.enc(x))
        mu, logvar = self.mu(h), self.logvar(h)
        return self.dec(self.sample(mu, logvar)), mu, logvar


torch.manual_seed(0)
vae = VAE()
optimizer = torch.optim.Adam(vae.parameters(), lr=1e-3)
x = torch.rand(10, 8)
for _ in range(2):
    recon, mu, logvar = vae(x)
    loss = nn.functional.mse_loss(recon, x, reduction="sum")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
