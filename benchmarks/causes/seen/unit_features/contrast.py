import torch
import torch.nn.functional as F


def similarity_loss(features, labels, temperature=0.5):
    weights = torch.exp(features)
    norms = weights.norm(dim=1, keepdim=True)
    weights /= norms
    sim = weights @ weights.t() / temperature
    same = (labels[:, None] == labels[None, :]).float()
    return F.binary_cross_entropy_with_logits(sim, same)


def main():
    torch.manual_seed(3)
    model = torch.nn.Linear(4, 6)
    x = torch.randn(5, 4)
    labels = torch.tensor([0, 1, 0, 1, 1])
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for i in range(3):
        opt.zero_grad()
        loss = similarity_loss(model(x), labels)
        loss.backward()
        opt.step()
    return model


model = main()
