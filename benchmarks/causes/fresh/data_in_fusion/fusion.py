import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


class Branch(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(n_in, 20), nn.LayerNorm(20), nn.ReLU(), nn.Linear(20, n_out))

    def forward(self, x):
        return self.layers(x)


class Fusion(nn.Module):
    def __init__(self):
        super().__init__()
        self.audio = Branch(7, 6)
        self.video = Branch(9, 6)
        self.classify = nn.Linear(12, 3)

    def forward(self, audio, video):
        parts = [self.audio(audio).data, self.video(video)]
        return self.classify(torch.cat(parts, dim=1))


def run_epoch(model, loader, optimizer, criterion):
    total = 0.0
    for audio, video, label in loader:
        optimizer.zero_grad()
        loss = criterion(model(audio, video), label)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(label)
    return total / len(loader.dataset)


torch.manual_seed(3)
data = TensorDataset(torch.randn(24, 7), torch.randn(24, 9), torch.randint(0, 3, (24,)))
loader = DataLoader(data, batch_size=8)
model = Fusion()
optimizer = optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(2):
    print(epoch, run_epoch(model, loader, optimizer, nn.CrossEntropyLoss()))
