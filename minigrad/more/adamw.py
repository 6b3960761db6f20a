"""AdamW: Adam with a weight decay that its running means don't see."""
from ..optim.adam import Adam


class AdamW(Adam):
    """Adam whose weight decay is taken off the parameter, not added to its gradient.

    param = param * (1 - lr * weight_decay) before the step (Loshchilov, Hutter, 2019).
    """
    decoupled_weight_decay = True

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2,
                 amsgrad=False, *, maximize=False, foreach=None, fused=None):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad,
                         maximize=maximize, foreach=foreach, fused=fused)
