import torch
from torch import nn
from torch.optim.lr_scheduler import ExponentialLR


class Callback:
    def before_step(self, learner):
        pass

    def after_backward(self, learner):
        pass


class Recorder(Callback):
    def __init__(self):
        self.losses = []

    def after_backward(self, learner):
        self.losses.append(learner.loss.item())


class ZeroGrads(Callback):
    def after_backward(self, learner):
        learner.opt.zero_grad(set_to_none=False)


class Learner:
    def __init__(self, model, opt, callbacks):
        self.model, self.opt, self.callbacks = model, opt, callbacks
        self.schedule = ExponentialLR(opt, 0.95)

    def call(self, event):
        for callback in self.callbacks:
            getattr(callback, event)(self)

    def fit_one(self, xb, yb):
        self.loss = (self.model(xb) - yb).abs().mean()
        self.loss.backward()
        self.call("after_backward")
        self.call("before_step")
        self.opt.step()
        self.schedule.step()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
recorder = Recorder()
learner = Learner(model, torch.optim.SGD(model.parameters(), lr=0.1), [recorder, ZeroGrads()])
for _ in range(4):
    learner.fit_one(torch.randn(10, 3), torch.randn(10, 1))
print(recorder.losses)
