import torch
from torch import nn


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 4))

    def forward(self, x):
        return self.net(x)

    @torch.no_grad()
    def embed(self, x):
        z = self.net(x)
        return z / z.norm(dim=1, keepdim=True)


def triplet(model, anchor, positive, negative, margin=0.5):
    a, p, n = model.embed(anchor), model.embed(positive), model.embed(negative)
    return torch.relu((a - p).pow(2).sum(1) - (a - n).pow(2).sum(1) + margin).mean()


torch.manual_seed(0)
model = Embedder()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
batch = torch.randn(3, 6, 3)
loss = triplet(model, batch[0], batch[1], batch[2])
opt.zero_grad()
loss.backward()
opt.step()
