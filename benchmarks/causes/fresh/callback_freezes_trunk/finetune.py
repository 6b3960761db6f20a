import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(6, 18), nn.ReLU())
        self.head = nn.Linear(18, 4)

    def forward(self, x):
        return self.head(self.trunk(x))


class FreezeAfter:
    def __init__(self, epoch):
        self.epoch = epoch

    def on_epoch_start(self, trainer, epoch):
        if epoch == self.epoch:
            for p in trainer.net.trunk.parameters():
                p.requires_grad = False


class Trainer:
    def __init__(self, net, callbacks=()):
        self.net, self.callbacks = net, callbacks
        self.optim = torch.optim.SGD(net.parameters(), lr=0.05)
        self.criterion = nn.CrossEntropyLoss()

    def clear(self):
        for p in self.net.parameters():
            if p.requires_grad:
                p.grad = None

    def fit(self, x, y, epochs):
        for epoch in range(epochs):
            for callback in self.callbacks:
                callback.on_epoch_start(self, epoch)
            self.clear()
            loss = self.criterion(self.net(x), y)
            loss.backward()
            self.optim.step()


torch.manual_seed(1)
x, y = torch.randn(32, 6), torch.randint(0, 4, (32,))
trainer = Trainer(Net(), [FreezeAfter(2)])
trainer.fit(x, y, epochs=5)
