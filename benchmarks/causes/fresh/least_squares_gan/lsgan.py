import torch
from torch import nn, optim


class Player:
    def __init__(self, *layers, lr=1e-3):
        self.net = nn.Sequential(*layers)
        self.optimizer = optim.Adam(self.net.parameters(), lr=lr)

    def __call__(self, x):
        return self.net(x)

    def play(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


class Game:
    def __init__(self):
        self.g = Player(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 4))
        self.d = Player(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1), lr=4e-3)
        self.scores = {"d": [], "g": []}

    def discriminate(self, real):
        with torch.no_grad():
            fake = self.g(torch.randn(len(real), 2))
        both = self.d(torch.cat([real, fake]))
        goal = torch.cat([torch.ones(len(real), 1), torch.zeros(len(real), 1)])
        return (both - goal).pow(2).mean()

    def generate(self, n):
        return (self.d(self.g(torch.randn(n, 2))) - 1).pow(2).mean()

    def round(self, real):
        self.scores["d"].append(self.d.play(self.discriminate(real)))
        self.scores["g"].append(self.g.play(self.generate(len(real))))


torch.manual_seed(0)
game = Game()
for _ in range(3):
    game.round(torch.randn(8, 4) + torch.tensor([1.0, -1.0, 0.0, 2.0]))
