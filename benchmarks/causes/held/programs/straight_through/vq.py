import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(6, 2), nn.Linear(2, 6)
codebook = nn.Parameter(torch.randn(5, 2))
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters(), codebook], lr=1e-2)
x = torch.randn(16, 6)
for _ in range(3):
    z = encoder(x)
    distance = (z[:, None, :] - codebook[None]).pow(2).sum(-1)
    code = codebook[distance.argmin(1)]
    quantised = z + (code - z).detach()
    recon = (decoder(quantised) - x).pow(2).mean()
    loss = recon + (code - z.detach()).pow(2).mean() + 0.25 * (z - code.detach()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
