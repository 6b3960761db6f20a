import torch


def entropy(p):
    return -(p * p.log()).sum()


p = torch.tensor([0.5, 0.5, 0.0], requires_grad=True)
value = torch.tensor([1.0, 2.0, 3.0])
objective = (p * value).sum() + 0.1 * entropy(p)
objective.backward()
print(p.grad)
