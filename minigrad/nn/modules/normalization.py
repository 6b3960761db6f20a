"""Layers that bring their input to mean 0 and variance 1, * weight + bias."""
from ...creation import ones, tensor, zeros
from .. import functional
from ..parameter import Parameter
from .module import Module


class Normalization(Module):
    """A layer with a weight of ones and a bias of zeros, or with None in their place."""
    def __init__(self, shape, weight, bias, dtype):
        super().__init__()
        weight, bias = [Parameter(make(shape, dtype=dtype)) if wanted else None
                        for make, wanted in ((ones, weight), (zeros, weight and bias))]
        self.register_parameter("weight", weight)
        self.register_parameter("bias", bias)


class LayerNorm(Normalization):
    """Normalize over the last dimensions, which are `normalized_shape`.

        nn.LayerNorm(3)(torch.tensor([1., 2., 3.]))     # [-1.2247, 0.0000, 1.2247]
    """
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, *,
                 dtype=None):
        one = isinstance(normalized_shape, int)
        shape = (normalized_shape,) if one else tuple(normalized_shape)
        super().__init__(shape, elementwise_affine, bias, dtype)
        self.normalized_shape, self.elementwise_affine, self.eps = shape, elementwise_affine, eps

    def forward(self, input):
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (f"{self.normalized_shape}, eps={self.eps}, "
                f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}")


class BatchNorm1d(Normalization):
    """Normalize each channel of (N, C) or (N, C, L) over the batch.

    In training it takes mean and variance from the batch, and keeps running ones, of which
    `momentum` is the share of the last batch; after ``eval()`` it takes these.
    """
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, *, dtype=None):
        super().__init__(num_features, affine, True, dtype)
        self.num_features, self.affine = num_features, affine
        self.eps, self.momentum = eps, momentum
        self.register_buffer("running_mean", zeros(num_features, dtype=dtype))
        self.register_buffer("running_var", ones(num_features, dtype=dtype))
        self.register_buffer("num_batches_tracked", tensor(0))

    def forward(self, input):
        if input.dim() not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")
        if self.training:
            self.num_batches_tracked.add_(1)
        return functional.batch_norm(input, self.running_mean, self.running_var, self.weight,
                                     self.bias, self.training, self.momentum, self.eps)

    def extra_repr(self):
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
                f"affine={self.affine}, bias={self.bias is not None}, track_running_stats=True")
