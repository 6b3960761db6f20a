import torch
from torch import nn


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(12, 6), nn.Tanh(), nn.Linear(6, 3))
        self.decoder = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 12))

    def forward(self, x):
        code = self.encoder(x).data
        return self.decoder(code), code


torch.manual_seed(0)
model = AutoEncoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
batch = torch.rand(10, 12)
for epoch in range(3):
    rebuilt, code = model(batch)
    loss = nn.functional.mse_loss(rebuilt, batch)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
