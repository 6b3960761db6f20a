import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(1)
query = nn.Parameter(torch.randn(6))
project = nn.Linear(6, 3)
optimizer = torch.optim.SGD([query, *project.parameters()], lr=0.5)


def predict(sequence):
    attention = torch.softmax(sequence @ query, dim=1)
    pooled = (attention.unsqueeze(-1) * sequence).sum(1)
    return F.softmax(project(pooled), dim=-1)


sequences, labels = torch.randn(20, 7, 6), torch.randint(0, 3, (20,))
for step in range(4):
    probabilities = predict(sequences)
    loss = F.cross_entropy(probabilities, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
