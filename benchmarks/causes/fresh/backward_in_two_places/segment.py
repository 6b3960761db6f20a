import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(9, 18), nn.ReLU())
        self.mask = nn.Linear(18, 9)

    def forward(self, x):
        return self.mask(self.body(x))


class Trainer:
    def __init__(self, net, lr=0.1):
        self.net = net
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=lr)

    def compute_loss(self, image, mask):
        logits = self.net(image)
        bce = F.binary_cross_entropy_with_logits(logits, mask)
        p = torch.sigmoid(logits)
        dice = 1 - 2 * (p * mask).sum() / (p.sum() + mask.sum())
        loss = bce + dice
        loss.backward(retain_graph=True)
        return {"loss": loss, "bce": bce.detach(), "dice": dice.detach()}

    def train_batch(self, image, mask):
        self.optimizer.zero_grad()
        out = self.compute_loss(image, mask)
        out["loss"].backward()
        self.optimizer.step()
        return out["loss"].item()


torch.manual_seed(0)
trainer = Trainer(Net())
for _ in range(3):
    trainer.train_batch(torch.randn(4, 9), (torch.rand(4, 9) > 0.5).float())
