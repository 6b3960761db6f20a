import torch


def centre(h):
    h.data -= h.data.mean()
    return h


torch.manual_seed(0)
w = torch.randn(4, 3, requires_grad=True)
v = torch.randn(4, requires_grad=True)
x = torch.randn(3)

h = torch.sigmoid(w @ x)
loss = (centre(h) * v).sum()
loss.backward()
