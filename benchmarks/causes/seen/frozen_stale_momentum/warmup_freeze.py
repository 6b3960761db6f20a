import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Linear(6, 6)
head = nn.Linear(6, 2)
optimizer = torch.optim.SGD([*backbone.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(10, 6), torch.randint(0, 2, (10,))


def step():
    loss = nn.functional.cross_entropy(head(torch.relu(backbone(x))), y)
    loss.backward()
    optimizer.step()
    head.zero_grad()
    return loss.item()


step()
for p in backbone.parameters():
    p.requires_grad = False
before = backbone.weight.clone()
for i in range(3):
    step()
print("backbone moved by", (backbone.weight - before).norm().item())
