import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(10, 6), nn.Flatten(), nn.Linear(18, 2))
sparse = torch.optim.Adagrad(model[0].parameters(), lr=0.1)
dense = torch.optim.AdamW([
    {"params": [model[2].weight], "weight_decay": 0.01},
    {"params": [model[2].bias], "weight_decay": 0.0, "lr": 1e-4},
], lr=1e-3)
tokens, y = torch.randint(0, 10, (7, 3)), torch.randint(0, 2, (7,))
for _ in range(3):
    loss = nn.functional.cross_entropy(model(tokens), y)
    sparse.zero_grad()
    dense.zero_grad()
    loss.backward()
    sparse.step()
    dense.step()
