import torch


def safe_ratio(a, b):
    ratio = a / b
    return torch.where(b != 0, ratio, torch.zeros_like(a))


torch.manual_seed(0)
numerator = torch.randn(6, requires_grad=True)
scale = torch.randn(6, requires_grad=True)
counts = torch.tensor([3.0, 0.0, 2.0, 1.0, 0.0, 4.0])
weights = counts * scale
score = safe_ratio(numerator, weights).sum()
score.backward()
print(scale.grad)
