import torch

torch.manual_seed(0)
data = torch.cat([torch.randn(20) - 2, torch.randn(20) + 3])
mu_a = torch.tensor(-1.0, requires_grad=True)
mu_b = torch.tensor(1.0, requires_grad=True)
log_sigma = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.Adam([mu_a, mu_b, log_sigma], lr=0.1)


def nll(x):
    means = torch.tensor([mu_a, mu_b])
    sigma = log_sigma.exp()
    z = (x[:, None] - means) / sigma
    log_p = -0.5 * z ** 2 - log_sigma
    return -torch.logsumexp(log_p, dim=1).mean()


for step in range(5):
    optimizer.zero_grad()
    loss = nll(data)
    loss.backward()
    optimizer.step()
