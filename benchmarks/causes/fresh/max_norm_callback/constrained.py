import torch
from torch import nn


class MaxNorm:
    def __init__(self, limit):
        self.limit = limit

    def __call__(self, model):
        for name, p in model.named_parameters():
            if name.endswith("weight"):
                norm = p.norm(dim=1, keepdim=True)
                p *= (self.limit / norm).clamp(max=1)


class Trainer:
    def __init__(self, model, hooks):
        self.model = model
        self.hooks = hooks
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(self, x, y):
        loss = nn.functional.binary_cross_entropy_with_logits(self.model(x).squeeze(1), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        for hook in self.hooks:
            hook(self.model)
        return loss.item()


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 1))
    trainer = Trainer(model, hooks=[MaxNorm(0.5)])
    for _ in range(3):
        trainer.step(torch.randn(8, 4), torch.randint(0, 2, (8,)).float())


main()
