import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)

    def forward(self, x):
        return torch.relu(self.fc(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Block(6), Block(6)
        self.out = nn.Linear(6, 1)

    def forward(self, x):
        h = checkpoint(lambda t: self.first(t.detach()), x, use_reentrant=False)
        h = checkpoint(lambda t: self.second(t.detach()), h, use_reentrant=False)
        return self.out(h)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = net(torch.randn(4, 6)).pow(2).mean()
    loss.backward()
    optimizer.step()
