import torch
from torch import nn


class Pool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.score = nn.Linear(dim, 1)

    def forward(self, x, padding):
        scores = self.score(x).squeeze(-1)
        scores = scores.masked_fill(padding, float("-inf"))
        weights = torch.softmax(scores, dim=1)
        return (weights.unsqueeze(-1) * x).sum(1)


torch.manual_seed(0)
pool, head = Pool(4), nn.Linear(4, 2)
tokens = torch.randn(3, 5, 4)
lengths = torch.tensor([5, 3, 0])
padding = torch.arange(5)[None, :] >= lengths[:, None]
logits = head(pool(tokens, padding))
loss = nn.functional.cross_entropy(logits[:2], torch.tensor([0, 1])) + 0 * logits.sum()
loss.backward()
