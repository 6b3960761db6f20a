import torch

torch.manual_seed(0)
W = torch.randn(3, 4, requires_grad=True) * 0.01
b = torch.zeros(4, requires_grad=True)
x, y = torch.randn(10, 3), torch.randint(0, 4, (10,))
lr = 0.1


def sgd(params):
    with torch.no_grad():
        for p in params:
            if p.grad is not None:
                p -= lr * p.grad


loss = torch.nn.functional.cross_entropy(x @ W + b, y)
loss.backward()
sgd([W, b])
