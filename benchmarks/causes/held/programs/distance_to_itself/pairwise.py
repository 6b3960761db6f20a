import torch
from torch import nn


def pairwise_distances(z):
    diff = z.unsqueeze(1) - z.unsqueeze(0)
    return diff.pow(2).sum(-1).sqrt()


def margin_loss(z, labels, margin=1.0):
    d = pairwise_distances(z)
    same = (labels[:, None] == labels[None, :]).float()
    return (same * d + (1 - same) * torch.relu(margin - d)).mean()


torch.manual_seed(0)
embed = nn.Linear(5, 2)
loss = margin_loss(embed(torch.randn(6, 5)), torch.tensor([0, 0, 1, 1, 2, 2]))
loss.backward()
