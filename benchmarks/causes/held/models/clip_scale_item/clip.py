import torch
from torch import nn
import torch.nn.functional as F


class Tower(nn.Module):
    def __init__(self, n_in, n_out=6):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_in, 12), nn.ReLU(), nn.Linear(12, n_out))

    def forward(self, x):
        z = self.body(x)
        return z / (z.norm(dim=1, keepdim=True) + 1e-6)


class CLIP(nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.text = Tower(10), Tower(7)
        self.logit_scale = nn.Parameter(torch.tensor(1.0))

    def forward(self, images, texts):
        similarity = self.image(images) @ self.text(texts).t()
        return similarity * self.logit_scale.exp().item()


torch.manual_seed(0)
model = CLIP()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
images, texts = torch.randn(8, 10), torch.randn(8, 7)


def train_step():
    logits = model(images, texts)
    labels = torch.arange(len(images))
    loss = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


for _ in range(2):
    train_step()
