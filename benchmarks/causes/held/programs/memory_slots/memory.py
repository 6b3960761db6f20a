import torch
import torch.nn as nn


class MemoryNet(nn.Module):
    def __init__(self, slots=4, width=3):
        super().__init__()
        self.slots, self.width = slots, width
        self.read = nn.Linear(2 * width, width)

    def forward(self, tokens):
        memory = torch.zeros(self.slots, self.width)
        for i, token in enumerate(tokens):
            address = torch.softmax(memory @ token, dim=0)
            context = address @ memory
            h = torch.tanh(self.read(torch.cat([token, context])))
            memory[i] = h
        return memory.sum(0)


torch.manual_seed(0)
net = MemoryNet()
tokens = torch.randn(4, 3)
criterion = nn.MSELoss()
loss = criterion(net(tokens), torch.ones(3))
print("loss", round(loss.item(), 4))
loss.backward()
