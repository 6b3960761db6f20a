import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(12, 4)
        self.tag = nn.Linear(4, 3)

    def forward(self, tokens):
        return self.tag(self.embedding(tokens))


def train(model, optimizer, tokens, tags, freeze_after):
    for epoch in range(4):
        if epoch == freeze_after:
            model.embedding.weight.requires_grad_(False)
        for p in model.parameters():
            if p.requires_grad and p.grad is not None:
                p.grad.zero_()
        loss = nn.functional.cross_entropy(model(tokens), tags)
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
model = Tagger()
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
train(model, optimizer, torch.randint(0, 12, (9,)), torch.randint(0, 3, (9,)), freeze_after=2)
