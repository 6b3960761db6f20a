"""Learning rates that change as training goes on."""
import math
import warnings

from ..optim.optimizer import Optimizer

STEP_TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch "
    "1.1.0 and later, you should call them in the opposite order: `optimizer.step()` "
    "before `lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping "
    "the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate")


class LRScheduler:
    """The base class of schedulers; one of your own defines `get_lr`.

        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30)
        scheduler.step()        # once after each epoch
    """
    def __init__(self, optimizer, last_epoch=-1):
        self.optimizer = optimizer
        self.last_epoch = last_epoch
        self._step_count = 0
        self.base_lrs = []
        for group in optimizer.param_groups:
            self.base_lrs.append(group.setdefault("initial_lr", group["lr"]))
        # An optimizer of your own, with its own `step`, sets no flag.
        optimizer._opt_called = type(optimizer).step is not Optimizer.step
        self.step()

    def step(self):
        """Set the rates of the next epoch; call it after ``optimizer.step()``."""
        if self._step_count == 1 and not self.optimizer._opt_called:
            warnings.warn(STEP_TOO_EARLY, UserWarning, stacklevel=2)
        self._step_count += 1
        self.last_epoch += 1
        self._last_lr = self.get_lr()
        for group, rate in zip(self.optimizer.param_groups, self._last_lr):
            group["lr"] = rate

    def get_lr(self):
        """Return the rates of this epoch, from those of the one before."""
        rates = [group["lr"] for group in self.optimizer.param_groups]
        if self._step_count == 1:
            return rates
        return [self.next_rate(rate, base) for rate, base in zip(rates, self.base_lrs)]

    def next_rate(self, rate, base):
        """Return the rate that follows `rate`, in a group that began with `base`."""
        raise NotImplementedError

    def get_last_lr(self):
        """Return the rates that are in force, one for each group."""
        return self._last_lr

    def state_dict(self):
        """Return all that the scheduler remembers, except its optimizer."""
        state = dict(self.__dict__)
        del state["optimizer"]
        return state

    def load_state_dict(self, state_dict):
        """Take over what `state_dict` returned."""
        self.__dict__.update(state_dict)


class LambdaLR(LRScheduler):
    """The first rate times ``lr_lambda(epoch)``; a list has one function per group."""
    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        if not isinstance(lr_lambda, list):
            lr_lambda = [lr_lambda] * len(optimizer.param_groups)
        self.lr_lambdas = lr_lambda
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        pairs = zip(self.lr_lambdas, self.base_lrs)
        return [base * factor(self.last_epoch) for factor, base in pairs]


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
        is_due = self.last_epoch % self.step_size == 0
        return rate * self.gamma if is_due else rate


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the first rate to `eta_min` in `T_max` epochs, and back."""
    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def next_rate(self, rate, base):
        angle = math.pi * self.last_epoch / self.T_max
        height = (1 + math.cos(angle)) / 2          # from 1 down to 0
        return self.eta_min + (base - self.eta_min) * height
