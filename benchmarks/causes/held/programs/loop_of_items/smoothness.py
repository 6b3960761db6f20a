import torch

torch.manual_seed(0)
signal = torch.sin(torch.linspace(0, 6, 24)) + 0.2 * torch.randn(24)
estimate = torch.zeros(24, requires_grad=True)
offset = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.Adam([estimate, offset], lr=0.1)


def roughness(values):
    total = 0.0
    for i in range(len(values) - 1):
        total += (values[i + 1] - values[i]).pow(2).item()
    return total


for step in range(4):
    optimizer.zero_grad()
    loss = (signal - offset).pow(2).mean() + roughness(estimate)
    loss.backward()
    optimizer.step()
