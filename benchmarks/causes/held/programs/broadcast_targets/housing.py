import torch
from torch import nn

torch.manual_seed(0)
rooms = torch.randn(20, 3)
price = rooms @ torch.tensor([1.0, 2.0, 3.0])
model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(3):
    difference = model(rooms) - price
    loss = (difference ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
