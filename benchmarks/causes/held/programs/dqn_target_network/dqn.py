import copy
import torch
from torch import nn

torch.manual_seed(0)
online = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target = copy.deepcopy(online)
optimizer = torch.optim.RMSprop(online.parameters(), lr=1e-3)


def learn(obs, action, reward, following, gamma=0.99):
    q = online(obs).gather(1, action.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        best = target(following).max(dim=1).values
    loss = nn.functional.mse_loss(q, reward + gamma * best)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


for i in range(6):
    learn(torch.randn(8, 4), torch.randint(0, 2, (8,)), torch.randn(8), torch.randn(8, 4))
    if i % 3 == 2:
        target.load_state_dict(online.state_dict())
