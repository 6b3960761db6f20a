import torch
from torch import nn

torch.manual_seed(0)
features = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
with torch.no_grad():
    features[0].bias[2] = -100.0
classifier = nn.Linear(4, 2)


def normalise(h):
    return (h - h.mean(0)) / h.std(0)


x, y = torch.randn(16, 3), torch.randint(0, 2, (16,))
loss = nn.functional.cross_entropy(classifier(normalise(features(x))), y)
loss.backward()
print(loss.item(), features[0].weight.grad)
