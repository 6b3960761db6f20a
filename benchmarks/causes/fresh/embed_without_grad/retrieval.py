import torch
import torch.nn.functional as F
from torch import nn, optim


class Encoder(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, 16), nn.ReLU(), nn.Linear(16, n_out))

    def forward(self, x):
        z = self.net(x)
        return z / (z.norm(dim=-1, keepdim=True) + 1e-6)


class Retriever(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.document = Encoder(5, 8), Encoder(7, 8)
        self.log_scale = nn.Parameter(torch.tensor(1.0))

    @torch.no_grad()
    def embed_documents(self, documents):
        return torch.cat([self.document(chunk) for chunk in documents.split(4)])

    def forward(self, queries, documents):
        return self.log_scale.exp() * self.query(queries) @ self.embed_documents(documents).t()


def train_step(retriever, optimizer, queries, documents):
    scores = retriever(queries, documents)
    loss = F.cross_entropy(scores, torch.arange(len(queries)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


torch.manual_seed(0)
retriever = Retriever()
optimizer = optim.SGD(retriever.parameters(), lr=0.05, momentum=0.9)
for i in range(3):
    train_step(retriever, optimizer, torch.randn(10, 5), torch.randn(10, 7))
