import torch
from torch import nn


class Quantiser(nn.Module):
    def __init__(self, codes, dim, commitment=0.25):
        super().__init__()
        self.codebook = nn.Embedding(codes, dim)
        self.commitment = commitment

    def forward(self, z):
        table = self.codebook.weight
        distance = z.pow(2).sum(1, keepdim=True) - 2 * z @ table.t() + table.pow(2).sum(1)
        q = self.codebook(distance.argmin(dim=1))
        loss = (q - z.detach()).pow(2).mean() + self.commitment * (q.detach() - z).pow(2).mean()
        return z + (q - z).detach(), loss


class VQVAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 4))
        self.quantise = Quantiser(6, 4)
        self.decode = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 12))

    def losses(self, x):
        q, vq = self.quantise(self.encode(x))
        return {"reconstruction": (self.decode(q) - x).pow(2).mean(), "vq": vq}


def train(vqvae, steps):
    optimizer = torch.optim.Adam(vqvae.parameters(), lr=1e-3)
    for _ in range(steps):
        losses = vqvae.losses(torch.randn(32, 12))
        optimizer.zero_grad()
        sum(losses.values()).backward()
        optimizer.step()


torch.manual_seed(0)
vqvae = VQVAE()
train(vqvae, 3)
