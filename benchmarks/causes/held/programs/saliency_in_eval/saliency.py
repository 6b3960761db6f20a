import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.BatchNorm1d(12), nn.Tanh(), nn.Dropout(0.5), nn.Linear(12, 3))
net.eval()
for p in net.parameters():
    p.requires_grad_(False)
image = torch.randn(1, 6, requires_grad=True)
score = net(image)[0, 1]
score.backward()
saliency = image.grad.abs()
