import torch

torch.manual_seed(0)
x = torch.linspace(-1, 1, 20)
y = 3 * x + 1 + 0.1 * torch.randn(20)

w = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
lr = 0.1
for epoch in range(5):
    pred = w * x + b
    loss = ((pred - y) ** 2).mean()
    loss.backward()
    w -= lr * w.grad
    b -= lr * b.grad
    w.grad.zero_()
    b.grad.zero_()
