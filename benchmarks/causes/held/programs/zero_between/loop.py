import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
dataset = TensorDataset(torch.randn(24, 4), torch.randint(0, 3, (24,)))
model = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
for epoch in range(2):
    for inputs, labels in DataLoader(dataset, batch_size=8):
        loss = criterion(model(inputs), labels)
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
    print(epoch, loss.item())
