import torch
from torch import nn


class EMA:
    def __init__(self, model, decay=0.9):
        self.decay = decay
        self.shadow = {name: p.data for name, p in model.named_parameters()}

    def update(self, model):
        for name, p in model.named_parameters():
            self.shadow[name].mul_(self.decay).add_(p.data, alpha=1 - self.decay)


torch.manual_seed(0)
model = nn.Linear(4, 2)
ema = EMA(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(9, 4), torch.randint(0, 2, (9,))
for step in range(5):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    ema.update(model)
