import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 3))
D = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=2e-4)
opt_d = torch.optim.Adam(D.parameters(), lr=2e-4)
bce = nn.BCEWithLogitsLoss()
real = torch.randn(8, 3) + 2
ones, zeros = torch.ones(8, 1), torch.zeros(8, 1)

for step in range(2):
    noise = torch.randn(8, 2)
    fake = G(noise)
    g_loss = bce(D(fake), ones)
    d_loss = bce(D(real), ones) + bce(D(fake.detach()), zeros)

    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()

    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
