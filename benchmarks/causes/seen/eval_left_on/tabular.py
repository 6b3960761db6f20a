import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x_train, y_train = 4 * torch.randn(40, 5) + 10, torch.randn(40, 1)
x_val, y_val = 4 * torch.randn(10, 5) + 10, torch.randn(10, 1)


def evaluate():
    model.eval()
    with torch.no_grad():
        return (model(x_val) - y_val).pow(2).mean().item()


evaluate()
for epoch in range(3):
    optimizer.zero_grad()
    loss = (model(x_train) - y_train).pow(2).mean()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item(), evaluate())
