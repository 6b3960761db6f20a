import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocab=30, dim=12):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.attend = nn.Linear(dim, 1)
        self.drop = nn.Dropout(0.4)
        self.norm = nn.BatchNorm1d(dim)
        self.out = nn.Linear(dim, 2)

    def forward(self, tokens):
        x = self.drop(self.embed(tokens))
        weight = torch.softmax(self.attend(torch.tanh(x)), dim=1)
        return self.out(self.norm((weight * x).sum(1)))


torch.manual_seed(0)
model = Encoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
train_x, train_y = torch.randint(0, 30, (24, 7)), torch.randint(0, 2, (24,))
val_x, val_y = torch.randint(0, 30, (8, 7)), torch.randint(0, 2, (8,))


def accuracy():
    model.eval()
    with torch.no_grad():
        return (model(val_x).argmax(1) == val_y).float().mean().item()


def train_epoch():
    for start in range(0, 24, 8):
        logits = model(train_x[start : start + 8])
        loss = nn.functional.cross_entropy(logits, train_y[start : start + 8])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


model.train()
for epoch in range(2):
    train_epoch()
    print(epoch, accuracy())
train_epoch()
