import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(6, 3), nn.Linear(3, 6)
enc_opt = torch.optim.SGD(encoder.parameters(), lr=0.05)
dec_opt = torch.optim.SGD(decoder.parameters(), lr=0.05)
x = torch.randn(20, 6)


def update():
    loss = (decoder(torch.tanh(encoder(x))) - x).pow(2).mean()
    dec_opt.zero_grad()
    loss.backward()
    enc_opt.step()
    dec_opt.step()
    return loss.item()


for _ in range(5):
    update()
