# amsgrad where gradients fall
import torch

for amsgrad in (False, True):
    x = torch.tensor([1.0, -2.0], requires_grad=True)
    optimizer = torch.optim.Adam([x], lr=0.1, betas=(0.5, 0.5), amsgrad=amsgrad)
    for scale in (10.0, 1.0, 0.1, 0.01, 0.001):
        optimizer.zero_grad()
        (x * scale).sum().backward()
        optimizer.step()
    print(x.detach(), sorted(optimizer.state_dict()["state"][0]))
