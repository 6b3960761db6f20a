import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(12, 3), torch.randn(12, 1))
loader = DataLoader(data, batch_size=4)
model = torch.nn.Sequential(torch.nn.Linear(3, 6), torch.nn.Tanh(), torch.nn.Linear(6, 1))
loss_fn = torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def run_epoch():
    total_loss = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        total_loss += loss_fn(model(x), y)
        total_loss.backward()
        optimizer.step()
    return total_loss / len(loader)


print(run_epoch())
