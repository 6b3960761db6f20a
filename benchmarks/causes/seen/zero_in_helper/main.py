import torch
from trainer import Trainer

torch.manual_seed(0)
model = torch.nn.Linear(5, 1)
trainer = Trainer(model)
trainer.fit(torch.randn(10, 5), torch.randn(10, 1), steps=3)
print(trainer.history)
