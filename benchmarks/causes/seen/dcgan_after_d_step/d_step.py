import torch
from torch import nn

torch.manual_seed(0)
D = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
G = nn.Linear(2, 3)
opt = torch.optim.SGD(D.parameters(), lr=0.1)


def d_step(real):
    opt.zero_grad()
    loss_real = nn.functional.softplus(-D(real)).mean()
    loss_real.backward()
    with torch.no_grad():
        fake = G(torch.randn(len(real), 2))
    loss_fake = nn.functional.softplus(D(fake)).mean()
    loss_fake.backward()
    opt.step()


for _ in range(3):
    d_step(torch.randn(6, 3))
