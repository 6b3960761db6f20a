import torch
from torch import nn


def init_weights(module):
    if isinstance(module, nn.Linear):
        module.weight.data.normal_(0.0, 0.2)
        module.bias.data.fill_(0.0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Linear(4, 10), nn.Linear(10, 1)
        self.apply(init_weights)

    def forward(self, x):
        return self.out(torch.tanh(self.hidden(x)))


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(12, 4), torch.randn(12, 1)
for _ in range(2):
    loss = nn.functional.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
