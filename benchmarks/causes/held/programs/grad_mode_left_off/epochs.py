import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x_train, y_train = torch.randn(20, 4), torch.randint(0, 2, (20,))
x_val, y_val = torch.randn(10, 4), torch.randint(0, 2, (10,))


def train_epoch():
    model.train()
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x_train), y_train)
    loss.backward()
    optimizer.step()
    return loss.item()


def validate():
    model.eval()
    torch.set_grad_enabled(False)
    accuracy = (model(x_val).argmax(1) == y_val).float().mean()
    return accuracy.item()


for epoch in range(3):
    print(epoch, train_epoch(), validate())
