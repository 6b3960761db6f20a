import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.9)
x, y = torch.randn(12, 3), torch.randn(12, 1)
best_loss, best_state = float("inf"), None
for epoch in range(6):
    optimizer.zero_grad()
    loss = (model(x) - y).pow(2).mean()
    if loss.item() < best_loss:
        best_loss, best_state = loss.item(), model.state_dict()
    loss.backward()
    optimizer.step()

model.load_state_dict(best_state)
final = (model(x) - y).pow(2).mean()
print(best_loss, final.item())
