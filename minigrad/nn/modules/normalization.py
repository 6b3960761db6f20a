"""Layers that bring their input to mean 0 and variance 1, * weight + bias."""
from __future__ import annotations

from ...creation import empty, ones, tensor, zeros
from ...dtypes import int64
from .. import functional, init
from ..parameter import Parameter
from .module import Module


def add_parameters(module, shape, weight, bias, options):
    """Give the module a weight of ones and a bias of zeros, or None."""
    weight = init.ones_(Parameter(empty(shape, **options))) if weight else None
    module.register_parameter("weight", weight)
    bias = init.zeros_(Parameter(empty(shape, **options))) if bias and weight is not None else None
    module.register_parameter("bias", bias)


class LayerNorm(Module):
    """Normalize over the last dimensions, which are `normalized_shape`.

        nn.LayerNorm(3)(torch.tensor([1., 2., 3.]))     # [-1.2247, 0.0000, 1.2247]
    """

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None,
                 dtype=None):
        super().__init__()
        one = isinstance(normalized_shape, int)
        self.normalized_shape = (normalized_shape,) if one else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        add_parameters(self, self.normalized_shape, elementwise_affine, bias,
                       {"device": device, "dtype": dtype})

    def forward(self, input):
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (f"{self.normalized_shape}, eps={self.eps}, "
                f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}")


class BatchNorm1d(Module):
    """Normalize each channel of (N, C) or (N, C, L) over the batch.

    In training it takes mean and variance from the batch, and keeps running ones, of which
    `momentum` is the share of the last batch; after ``eval()`` it takes these.

    Raises ValueError for a batch with a single value per channel.
    """

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True,
                 device=None, dtype=None, *, bias=True):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        options = {"device": device, "dtype": dtype}
        add_parameters(self, num_features, affine, bias, options)
        for name, value in (("running_mean", zeros(num_features, **options)),
                            ("running_var", ones(num_features, **options)),
                            ("num_batches_tracked", tensor(0, dtype=int64))):
            self.register_buffer(name, value if track_running_stats else None)

    def forward(self, input):
        if input.dim() not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")
        momentum = self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            if momentum is None:            # then every batch counts the same
                momentum = 1.0 / self.num_batches_tracked.item()
        return functional.batch_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias,
            self.training or not self.track_running_stats, momentum, self.eps)

    def extra_repr(self):
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
                f"affine={self.affine}, bias={self.bias is not None}, "
                f"track_running_stats={self.track_running_stats}")
