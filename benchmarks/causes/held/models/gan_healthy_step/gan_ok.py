import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 6))
D = nn.Sequential(nn.Linear(6, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 1))
opt_g, opt_d = torch.optim.Adam(G.parameters(), lr=1e-3), torch.optim.Adam(D.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
one, zero = torch.ones(8, 1), torch.zeros(8, 1)


def step():
    fake = G(torch.randn(8, 4))
    opt_d.zero_grad()
    bce(D(torch.randn(8, 6) + 1), one).backward()
    bce(D(fake.detach()), zero).backward()
    opt_d.step()
    for p in D.parameters():
        p.requires_grad_(False)
    opt_g.zero_grad()
    bce(D(fake), one).backward()
    opt_g.step()
    for p in D.parameters():
        p.requires_grad_(True)


for _ in range(2):
    step()
