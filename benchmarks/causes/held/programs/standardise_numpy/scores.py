import torch
from torch import nn

torch.manual_seed(1)
encoder = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
head = nn.Linear(3, 1)
params = list(encoder.parameters()) + list(head.parameters())
opt = torch.optim.SGD(params, lr=0.1)


def standardise(features):
    array = features.data.numpy()
    mean, std = array.mean(axis=0), array.std(axis=0) + 1e-6
    return torch.tensor((array - mean) / std)


inputs, targets = torch.randn(16, 5), torch.randn(16, 1)
for _ in range(2):
    opt.zero_grad()
    z = standardise(encoder(inputs))
    loss = nn.functional.mse_loss(head(z), targets)
    loss.backward()
    opt.step()
