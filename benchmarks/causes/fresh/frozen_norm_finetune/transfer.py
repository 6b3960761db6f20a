import torch
from torch import nn


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.low = nn.Sequential(nn.Linear(10, 20), nn.BatchNorm1d(20), nn.ReLU())
        self.high = nn.Sequential(nn.Linear(20, 20), nn.ReLU())

    def forward(self, x):
        return self.high(self.low(x))


class Transfer(nn.Module):
    def __init__(self, backbone, classes):
        super().__init__()
        self.backbone = backbone
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(20, classes)
        for name, p in self.backbone.named_parameters():
            p.requires_grad = not name.startswith("low")

    def train(self, mode=True):
        super().train(mode)
        self.backbone.low.eval()
        return self

    def forward(self, x):
        return self.head(self.drop(self.backbone(x)))


def fit(model, batches, groups):
    optimizer = torch.optim.SGD(groups, lr=1e-2, momentum=0.9)
    model.train()
    for x, y in batches:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


torch.manual_seed(0)
backbone = Backbone()
backbone(torch.randn(64, 10))
transfer = Transfer(backbone, 4)
groups = [{"params": transfer.backbone.high.parameters(), "lr": 1e-3}, {"params": transfer.head.parameters()}]
print(fit(transfer, [(torch.randn(12, 10), torch.randint(0, 4, (12,))) for _ in range(3)], groups))
