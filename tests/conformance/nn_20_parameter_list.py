# a list of parameters
import torch


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.matrices = torch.nn.ParameterList(
            [torch.ones(2, 2), torch.nn.Parameter(torch.zeros(2, 2))])

    def forward(self, x):
        for matrix in self.matrices:
            x = matrix @ x
        return x

net = Net()
net(torch.ones(2)).sum().backward()
print(net, len(net.matrices), [name for name, _ in net.named_parameters()])
print(net.matrices[-1].grad, list(net.state_dict()))
net.matrices.append(torch.ones(1)).extend([torch.zeros(3)])
net.matrices[0] = torch.ones(7)
print(net.matrices, net.matrices[1:3], torch.nn.ParameterList())
attempt(lambda: net.matrices[9])
attempt(lambda: net.matrices.extend(torch.ones(3)))
attempt(lambda: net.matrices(1))
attempt(lambda: net.matrices + [torch.ones(1)])
