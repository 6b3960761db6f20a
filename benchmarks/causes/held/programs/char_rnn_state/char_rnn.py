import torch
from torch import nn

torch.manual_seed(0)
text = torch.tensor([0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0])


class CharRNN(nn.Module):
    def __init__(self, vocab=4, hidden=6):
        super().__init__()
        self.hidden = hidden
        self.embed = nn.Embedding(vocab, hidden)
        self.cell = nn.Linear(2 * hidden, hidden)
        self.head = nn.Linear(hidden, vocab)

    def forward(self, token, state):
        both = torch.cat([self.embed(token), state])
        state = torch.tanh(self.cell(both))
        return self.head(state), state


model = CharRNN()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
state = torch.zeros(model.hidden)
for start in range(0, 12, 4):
    loss = 0
    for t in range(start, start + 4):
        logits, state = model(text[t], state)
        loss = loss + nn.functional.cross_entropy(logits[None], text[t + 1][None])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
