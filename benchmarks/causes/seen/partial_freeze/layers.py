import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 8)
        self.norm = nn.LayerNorm(8)
        self.fc = nn.Linear(8, 4)

    def forward(self, tokens):
        return self.fc(self.norm(self.embedding(tokens).mean(1)))


torch.manual_seed(0)
model = Classifier()
model.embedding.weight.requires_grad_(False)
optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1)
tokens, labels = torch.randint(0, 20, (6, 5)), torch.randint(0, 4, (6,))
for _ in range(2):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(tokens), labels)
    loss.backward()
    optimizer.step()
