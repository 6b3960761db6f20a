import torch
from torch import nn


class LSTMLM(nn.Module):
    def __init__(self, vectors, hidden=10):
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(vectors)
        self.lstm = nn.LSTM(vectors.shape[1], hidden, num_layers=2, batch_first=True)
        self.decoder = nn.Linear(hidden, vectors.shape[0])

    def forward(self, ids, state=None):
        out, state = self.lstm(self.embedding(ids), state)
        return self.decoder(out), state


torch.manual_seed(0)
vectors = torch.randn(20, 6)
model = LSTMLM(vectors)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
text = torch.randint(0, 20, (3, 13))


def train_step():
    state = None
    for start in (0, 6):
        logits, state = model(text[:, start : start + 6], state)
        loss = nn.functional.cross_entropy(logits.reshape(-1, 20), text[:, start + 1 : start + 7].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        state = tuple(s.detach() for s in state)


train_step()
