import torch


class Trainer:
    def __init__(self, model, lr=0.1):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.history = []

    def backward(self, loss):
        loss.backward()
        self.history.append(loss.item())
        self.clear()

    def clear(self):
        for parameter in self.model.parameters():
            parameter.grad = None

    def fit(self, x, y, steps):
        for _ in range(steps):
            loss = (self.model(x) - y).abs().mean()
            self.backward(loss)
            self.optimizer.step()
