import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_
from torch.optim.lr_scheduler import CosineAnnealingLR


def micro_batches(n, size):
    for _ in range(n):
        x = torch.randn(size, 6)
        yield x, (x[:, 0] * x[:, 1] > 0).long()


class Trainer:
    def __init__(self, model, accumulate=4, steps=2):
        self.model = model
        self.accumulate = accumulate
        self.steps = steps
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        self.schedule = CosineAnnealingLR(self.optimizer, T_max=10)
        self.log = []

    def optimizer_step(self):
        norm = clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.schedule.step()
        self.log.append(float(norm))

    def fit(self):
        self.model.train()
        for i, (x, y) in enumerate(micro_batches(self.accumulate * self.steps + 2, 5), 1):
            loss = nn.functional.cross_entropy(self.model(x), y) / self.accumulate
            loss.backward()
            if i % self.accumulate == 0:
                self.optimizer_step()


torch.manual_seed(0)
trainer = Trainer(nn.Sequential(nn.Linear(6, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 2)))
trainer.fit()
print(trainer.log)
