import torch

torch.manual_seed(0)
X = torch.randn(30, 5)
y = X @ torch.tensor([1.0, -2.0, 0.0, 0.5, 3.0])
weights = torch.randn(5, requires_grad=True)
scale = torch.ones(5, requires_grad=True)
optimizer = torch.optim.SGD([weights, scale], lr=0.01)

l2 = 0.01 * (weights * scale).pow(2).sum()
for epoch in range(10):
    optimizer.zero_grad()
    prediction = X @ weights
    loss = ((prediction - y) ** 2).mean() + l2
    loss.backward()
    optimizer.step()
