import torch
from torch import nn


class Pretrained(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(6, 12), nn.ReLU())
        self.classifier = nn.Linear(12, 10)

    def forward(self, x):
        return self.classifier(self.features(x))


torch.manual_seed(0)
model = Pretrained()
model.fc = nn.Linear(12, 2)
for name, parameter in model.named_parameters():
    if not name.startswith("fc"):
        parameter.requires_grad = False

optimizer = torch.optim.SGD(model.fc.parameters(), lr=0.01)
x, y = torch.randn(4, 6), torch.tensor([0, 1, 1, 0])
loss = nn.functional.cross_entropy(model(x), y)
loss.backward()
optimizer.step()
