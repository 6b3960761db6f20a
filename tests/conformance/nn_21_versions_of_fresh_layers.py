# the versions of what a fresh layer holds
import torch

norm = torch.nn.BatchNorm1d(2)
members = [*norm.named_parameters(), *norm.named_buffers()]
print([(name, value._version) for name, value in members])
norm(torch.ones(3, 2))
print([(name, value._version) for name, value in members])
print([value._version for value in torch.nn.LayerNorm(2).parameters()])
print(torch.nn.Embedding(3, 2)._parameters["weight"]._version)
