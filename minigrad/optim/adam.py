"""Adam: steps of about the same size in every direction, by means of the gradient."""
import numpy as np

from .optimizer import Optimizer, refuse_negative


class Adam(Optimizer):
    """Divide a running mean of the gradient by the root of one of its square.

        m = beta1 * m + (1 - beta1) * grad
        v = beta2 * v + (1 - beta2) * grad ** 2
        m_hat, v_hat = m / (1 - beta1 ** t), v / (1 - beta2 ** t)
        param -= lr * m_hat / (sqrt(v_hat) + eps)

    in step t (Kingma and Ba, 2015).  Both means begin at 0; the divisions by
    1 - beta ** t correct for that.  amsgrad: divide by the largest v so far.
    weight_decay, maximize: as in SGD.

        optimizer = torch.optim.Adam(model.parameters(), lr=0.001)

    Raises ValueError for a negative option or a beta outside of [0, 1).
    """
    decoupled_weight_decay = False

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0,
                 amsgrad=False, *, foreach=None, maximize=False, fused=None):
        refuse_negative(lr=lr, eps=eps)
        for i, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        refuse_negative(weight_decay=weight_decay)
        # Some options change nothing: PyTorch's `state_dict` has them.
        super().__init__(params, {
            "lr": lr, "betas": tuple(betas), "eps": eps,
            "weight_decay": weight_decay, "amsgrad": amsgrad, "maximize": maximize,
            "foreach": foreach, "capturable": False, "differentiable": False,
            "fused": fused, "decoupled_weight_decay": self.decoupled_weight_decay})

    def update(self, group, param, w, grad):
        beta1, beta2 = group["betas"]
        t = self._count_step(param)
        m = self._state_array(param, "exp_avg")
        v = self._state_array(param, "exp_avg_sq")
        m += (1 - beta1) * (grad - m)
        v *= beta2
        v += (1 - beta2) * grad * grad
        if group["amsgrad"]:
            largest = self._state_array(param, "max_exp_avg_sq")
            v = np.maximum(v, largest, out=largest)
        root = np.sqrt(v) / (1 - beta2 ** t) ** 0.5
        w -= group["lr"] / (1 - beta1 ** t) * m / (root + group["eps"])
