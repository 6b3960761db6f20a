from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

ACTIVATIONS = {"probabilities": partial(torch.softmax, dim=-1), "scores": lambda t: t}


class IntentClassifier(nn.Module):
    def __init__(self, vocabulary, dim, intents, output="probabilities"):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, dim)
        self.hidden = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, intents)
        self.activation = ACTIVATIONS[output]

    def forward(self, tokens):
        pooled = self.embed(tokens).mean(dim=1)
        return self.activation(self.out(torch.tanh(self.hidden(pooled))))


def sentences(n):
    while n:
        yield torch.randint(0, 30, (12, 7)), torch.randint(0, 5, (12,))
        n -= 1


def step(model, optimizer, tokens, intent):
    scores = model(tokens)
    loss = F.cross_entropy(scores, intent)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


torch.manual_seed(0)
model = IntentClassifier(30, 10, 5)
optimizer = torch.optim.Adam(model.parameters())
print([step(model, optimizer, *batch) for batch in sentences(4)])
