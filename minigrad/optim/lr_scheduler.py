"""Learning rates that change as training goes on: after each epoch call ``scheduler.step()``."""
import math
import warnings

from .optimizer import Optimizer


class LRScheduler:
    """The base class: one of your own defines `get_lr`.

        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30)
        scheduler.step()        # once after each epoch
    """
    def __init__(self, optimizer, last_epoch=-1):
        self.optimizer, self.last_epoch, self._step_count = optimizer, last_epoch, 0
        self.base_lrs = [group.setdefault("initial_lr", group["lr"])
                         for group in optimizer.param_groups]
        optimizer._opt_called = type(optimizer).step is not Optimizer.step  # your own sets no flag
        self.step()

    def step(self):
        """Set the rates of the next epoch; call it after ``optimizer.step()``."""
        if self._step_count == 1 and not self.optimizer._opt_called:
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch "
                "1.1.0 and later, you should call them in the opposite order: `optimizer.step()` "
                "before `lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping "
                "the first value of the learning rate schedule. See more details at "
                "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate",
                UserWarning, stacklevel=2)
        self._step_count += 1
        self.last_epoch += 1
        self._last_lr = self.get_lr()
        for group, rate in zip(self.optimizer.param_groups, self._last_lr):
            group["lr"] = rate

    def get_lr(self):
        """Return the rates of this epoch, from those of the one before."""
        return [group["lr"] if self._step_count == 1 else self.next_rate(group["lr"], base)
                for group, base in zip(self.optimizer.param_groups, self.base_lrs)]

    def get_last_lr(self):
        """Return the rates that are in force, one for each group."""
        return self._last_lr

    def state_dict(self):
        """Return all that the scheduler remembers, except its optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict):
        """Take over what `state_dict` returned."""
        self.__dict__.update(state_dict)


class LambdaLR(LRScheduler):
    """The first rate times ``lr_lambda(epoch)``, or times the function of each group in a list."""
    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        is_list = isinstance(lr_lambda, list)
        self.lr_lambdas = lr_lambda if is_list else [lr_lambda] * len(optimizer.param_groups)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs)]


class ExponentialLR(LRScheduler):
    """The rate times `gamma`, every epoch."""
    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def next_rate(self, rate, base):
        return rate * self.gamma


class StepLR(ExponentialLR):
    """The rate times `gamma`, every `step_size` epochs."""
    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size = step_size
        super().__init__(optimizer, gamma, last_epoch)

    def next_rate(self, rate, base):
        return rate if self.last_epoch % self.step_size else rate * self.gamma


class CosineAnnealingLR(LRScheduler):
    """Along half a cosine from the first rate down to `eta_min` in `T_max` epochs, and back."""
    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def next_rate(self, rate, base):
        height = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2     # from 1 down to 0
        return self.eta_min + (base - self.eta_min) * height
