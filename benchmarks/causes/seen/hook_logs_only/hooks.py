import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 2))
norms, activations = [], {}
for p in model.parameters():
    p.register_hook(lambda g: norms.append(g.norm().item()))
model[1].register_forward_hook(lambda m, i, o: activations.update(tanh=o.detach()))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(2):
    loss = nn.functional.cross_entropy(model(torch.randn(9, 5)), torch.randint(0, 2, (9,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
