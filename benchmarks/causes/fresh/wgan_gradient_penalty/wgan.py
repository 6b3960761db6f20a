from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Settings:
    latent: int = 3
    critic_steps: int = 2
    penalty: float = 10.0
    lr: float = 1e-4


def net(*sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.Tanh()]
    return nn.Sequential(*layers[:-1])


class WGAN:
    def __init__(self, cfg):
        self.cfg = cfg
        self.generator, self.critic = net(cfg.latent, 16, 2), net(2, 16, 1)
        self.opt_g = torch.optim.Adam(self.generator.parameters(), lr=cfg.lr, betas=(0.0, 0.9))
        self.opt_c = torch.optim.Adam(self.critic.parameters(), lr=cfg.lr, betas=(0.0, 0.9))

    def gradient_penalty(self, real, fake):
        mix = torch.rand(len(real), 1)
        between = (mix * real + (1 - mix) * fake).requires_grad_(True)
        slopes, = torch.autograd.grad(self.critic(between).sum(), between, create_graph=True)
        return ((slopes.norm(dim=1) - 1) ** 2).mean()

    def sample(self, n):
        return self.generator(torch.randn(n, self.cfg.latent))

    def train_on(self, real):
        for _ in range(self.cfg.critic_steps):
            fake = self.sample(len(real)).detach()
            loss = self.critic(fake).mean() - self.critic(real).mean()
            self.opt_c.zero_grad()
            (loss + self.cfg.penalty * self.gradient_penalty(real, fake)).backward()
            self.opt_c.step()
        self.opt_g.zero_grad()
        (-self.critic(self.sample(len(real))).mean()).backward()
        self.opt_g.step()


torch.manual_seed(0)
gan = WGAN(Settings())
for _ in range(2):
    gan.train_on(torch.randn(8, 2) * 0.5 + 1)
