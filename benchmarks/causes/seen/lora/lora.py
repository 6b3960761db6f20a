import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, base, rank=2, alpha=4):
        super().__init__()
        self.base = base
        self.base.weight.requires_grad_(False)
        self.base.bias.requires_grad_(False)
        self.A = nn.Parameter(torch.randn(rank, base.in_features) * 0.1)
        self.B = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.A.t() @ self.B.t())


torch.manual_seed(0)
layer = LoRALinear(nn.Linear(6, 4))
optimizer = torch.optim.AdamW([p for p in layer.parameters() if p.requires_grad], lr=1e-3)
x, y = torch.randn(8, 6), torch.randn(8, 4)
for _ in range(3):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(layer(x), y)
    loss.backward()
    optimizer.step()
