import torch
from torch import nn

torch.manual_seed(0)


def loss_fn(logits, labels):
    predicted = logits.argmax(dim=1).float()
    return ((predicted - labels.float()) ** 2).mean()


model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 4))
optimizer = torch.optim.Adam(model.parameters())
images, labels = torch.randn(8, 10), torch.randint(0, 4, (8,))
for epoch in range(2):
    optimizer.zero_grad()
    logits = model(images)
    loss = loss_fn(logits, labels)
    loss.backward()
    optimizer.step()
