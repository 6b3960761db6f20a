import torch
from torch import nn


def make_optimizer(model, config):
    return torch.optim.AdamW(
        [
            {"params": model.encoder.parameters(), "lr": config.get("encoder_lr", 0)},
            {"params": model.head.parameters()},
        ],
        lr=config["lr"],
    )


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(6, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(torch.tanh(self.encoder(x)))


torch.manual_seed(0)
model = Model()
optimizer = make_optimizer(model, {"lr": 1e-3, "encoder": 1e-4})
x, y = torch.randn(5, 6), torch.tensor([0, 1, 0, 1, 1])
for _ in range(3):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
