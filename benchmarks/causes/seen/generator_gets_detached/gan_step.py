import torch
from torch import nn

torch.manual_seed(0)
netG = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
netD = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
optG = torch.optim.Adam(netG.parameters(), lr=1e-3)
optD = torch.optim.Adam(netD.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()


def discriminate(samples, label):
    scores = netD(samples.detach())
    return bce(scores, torch.full_like(scores, label))


for step in range(2):
    real = torch.randn(6, 2)
    fake = netG(torch.randn(6, 4))
    optD.zero_grad()
    (discriminate(real, 1.0) + discriminate(fake, 0.0)).backward()
    optD.step()
    optG.zero_grad()
    lossG = discriminate(fake, 1.0)
    lossG.backward()
    optG.step()
