"""Layers that bring their input to mean 0 and variance 1, * weight + bias."""
from ..creation import empty, tensor
from ..nn import functional, init
from ..nn.modules.module import Module
from ..nn.parameter import Parameter


class Normalization(Module):
    """A layer with a weight of ones and a bias of zeros, or None in their place."""
    def __init__(self, shape, has_weight, has_bias, device, dtype):
        super().__init__()
        for name, is_there in ("weight", has_weight), ("bias", has_weight and has_bias):
            param = None
            if is_there:
                param = Parameter(empty(shape, device=device, dtype=dtype))
            self.register_parameter(name, param)
        self.reset_parameters()

    def reset_parameters(self):
        """Set the weight to ones and the bias to zeros."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)


class LayerNorm(Normalization):
    """Normalize over the last dimensions, which are `normalized_shape`.

        nn.LayerNorm(3)(torch.tensor([1., 2., 3.]))     # [-1.2247, 0.0000, 1.2247]
    """
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True,
                 device=None, dtype=None):
        if isinstance(normalized_shape, int):
            normalized_shape = (normalized_shape,)
        shape = tuple(normalized_shape)
        super().__init__(shape, elementwise_affine, bias, device, dtype)
        self.normalized_shape = shape
        self.elementwise_affine = elementwise_affine
        self.eps = eps

    def forward(self, input):
        return functional.layer_norm(
            input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (f"{self.normalized_shape}, eps={self.eps}, "
                f"elementwise_affine={self.elementwise_affine}, "
                f"bias={self.bias is not None}")


class BatchNorm1d(Normalization):
    """Normalize each channel of (N, C) or (N, C, L) over the batch.

    In training it takes mean and variance from the batch, and keeps running ones, of
    which `momentum` is the share of the last batch; after ``eval()`` it takes these.
    """
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, *,
                 device=None, dtype=None):
        super().__init__(num_features, affine, True, device, dtype)
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        for name in ("running_mean", "running_var"):
            numbers = empty(num_features, device=device, dtype=dtype)
            self.register_buffer(name, numbers)
        self.register_buffer("num_batches_tracked", tensor(0))
        self.reset_running_stats()

    def reset_running_stats(self):
        """Forget all batches: mean 0 and variance 1."""
        self.running_mean.zero_()
        self.running_var.fill_(1)
        self.num_batches_tracked.zero_()

    def forward(self, input):
        if input.dim() not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")
        if self.training:
            self.num_batches_tracked.add_(1)
        return functional.batch_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias,
            self.training, self.momentum, self.eps)

    def extra_repr(self):
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
                f"affine={self.affine}, bias={self.bias is not None}, "
                "track_running_stats=True")
