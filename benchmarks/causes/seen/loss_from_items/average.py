import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
criterion = nn.L1Loss()
samples = [(torch.randn(3), torch.randn(1)) for _ in range(5)]


def average_loss(samples):
    losses = []
    for x, y in samples:
        losses.append(criterion(net(x), y).item())
    return torch.tensor(sum(losses) / len(losses))


loss = average_loss(samples)
opt.zero_grad()
loss.backward()
opt.step()
