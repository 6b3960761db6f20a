import torch
import torch.nn.functional as F

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 4), torch.randn(8, 1)
sample_weight = torch.rand(8, 1)

for epoch in range(2):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y, reduction="none") * sample_weight
    loss.backward()
    optimizer.step()
