"""Numbers brought to mean 0 and variance 1: layer_norm and batch_norm.

The formulas compute mean and deviation anew from the input, so that a second derivative
goes through them.
"""
import numpy as np

from ..autograd.operation import differentiable
from ..ops.declaring import shape_of
from ..ops.elementwise import sqrt
from ..ops.expansion import _sum_dim
from ..ops.losses import weighted
from ..ops.reduction import _mean_dim
from ..ops.shape import _reshape


def normalize(x, mean, variance, eps, weight, bias):
    """Return (x - mean) / deviation * weight + bias, and 1 / deviation, of arrays."""
    rstd = 1 / np.sqrt(variance + x.dtype.type(eps))
    result = weighted((x - mean) * rstd, weight)
    if bias is not None:
        result = result + bias
    return result, rstd


def moments(x, dims):
    """Return the mean and the variance of an array over `dims`."""
    mean = np.mean(x, axis=dims, keepdims=True)
    return mean, np.var(x, axis=dims, keepdims=True)


def standardize(x, dims, eps):
    """Return (x - mean) / deviation over `dims`, and 1 / deviation, as formulas do."""
    distance = x - _mean_dim(x, dims, True, None)
    variance = _mean_dim(distance * distance, dims, True, None)
    rstd = 1 / sqrt(variance + eps)
    return distance * rstd, rstd


def through_standardize(grad, x, dims, eps):
    """Return the gradient of `x` from that of its standardized numbers."""
    result, rstd = standardize(x, dims, eps)
    mean_grad = _mean_dim(grad, dims, True, None)
    mean_product = _mean_dim(grad * result, dims, True, None)
    return rstd * (grad - mean_grad - result * mean_product)


def last_dims(shape):
    return tuple(range(-len(shape), 0))


# Some formulas have parameters that they do not use: PyTorch saves these values, too.

def layer_gradient_of_input(
        grad, input, normalized_shape, weight, bias, _eps, result1, result2):
    grad = weighted(grad, weight)
    return through_standardize(grad, input, last_dims(normalized_shape), _eps)


def layer_gradient_of_weight(
        grad, input, normalized_shape, weight, bias, _eps, result1, result2):
    return grad * standardize(input, last_dims(normalized_shape), _eps)[0]


@differentiable(
    "NativeLayerNormBackward0", outputs=("result0", "result1", "result2"),
    input=layer_gradient_of_input,
    weight=layer_gradient_of_weight,
    bias=lambda grad: grad)
def _layer_norm(input, normalized_shape, weight, bias, _eps):
    """Return the result, the mean and 1 / deviation."""
    mean, variance = moments(input, last_dims(normalized_shape))
    result, rstd = normalize(input, mean, variance, _eps, weight, bias)
    return result, mean, rstd


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Bring the last dimensions, of `normalized_shape`, to mean 0 and variance 1.

    Then multiply by `weight` and add `bias`, both of `normalized_shape`.

        F.layer_norm(torch.tensor([[1., 3.]]), (2,))    # tensor([[-1.0000,  1.0000]])

    Raises RuntimeError for other shapes or dtypes.
    """
    shape, size = tuple(normalized_shape), tuple(input.shape)
    for value in (weight, bias):
        if value is not None and value.dtype != input.dtype:
            raise RuntimeError(
                "mixed dtype (CPU): all inputs must share same datatype.")
    for name, value in (("weight", weight), ("bias", bias)):
        if value is not None and value.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got "
                f"{name} of shape {list(value.shape)} and normalized_shape = "
                f"{list(shape)}")
    if size[max(len(size) - len(shape), 0):] != shape:
        expected = ", ".join(["*", *map(str, shape)])
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape "
            f"[{expected}], but got input of size{list(size)}")
    return _layer_norm(input, shape, weight, bias, eps)[0]


def all_but_channels(x):
    """Return the dimensions of the examples and of what follows the channels."""
    return (0, *range(2, len(shape_of(x))))


def along_channels(x, like):
    """Return `x` (C,) in a shape that broadcasts along dimension 1 of `like`."""
    if x is None:
        return None
    return _reshape(x, (1, -1, *[1] * (len(shape_of(like)) - 2)))


def batch_gradient_of_input(
        grad, input, weight, running_mean, running_var, training, eps,
        result1, result2):
    grad = weighted(grad, along_channels(weight, input))
    if training:
        return through_standardize(grad, input, all_but_channels(input), eps)
    return grad / sqrt(along_channels(running_var, input) + eps)


def batch_gradient_of_weight(
        grad, input, weight, running_mean, running_var, training, eps,
        result1, result2):
    dims = all_but_channels(input)
    if training:
        standardized = standardize(input, dims, eps)[0]
    else:
        distance = input - along_channels(running_mean, input)
        standardized = distance / sqrt(along_channels(running_var, input) + eps)
    return _sum_dim(grad * standardized, dims, False, None)


def batch_gradient_of_bias(grad):
    return _sum_dim(grad, all_but_channels(grad), False, None)


@differentiable(
    "NativeBatchNormBackward0", outputs=("result0", "result1", "result2"),
    input=batch_gradient_of_input,
    weight=batch_gradient_of_weight,
    bias=batch_gradient_of_bias,
    running_mean=None, running_var=None)
def _batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps):
    """Return the result, and in training the batch's mean and 1 / deviation."""
    weight, bias = along_channels(weight, input), along_channels(bias, input)
    if training:
        mean, variance = moments(input, all_but_channels(input))
        if running_mean is not None:
            follow(running_mean, mean.reshape(-1), momentum)
            count = input.size // input.shape[1]
            unbiased = variance.reshape(-1) * (count / (count - 1))
            follow(running_var, unbiased, momentum)
    else:
        mean = along_channels(running_mean, input)
        variance = along_channels(running_var, input)
    result, rstd = normalize(input, mean, variance, eps, weight, bias)
    if not training:
        nothing = np.empty(0, input.dtype)
        return result, nothing, nothing
    return result, mean.reshape(-1), rstd.reshape(-1)


def follow(running, latest, momentum):
    """Move an array, in place, a part of the way towards the latest value."""
    running += momentum * (latest - running)


def batch_norm(
        input, running_mean, running_var, weight=None, bias=None, training=False,
        momentum=0.1, eps=1e-5):
    """Bring each channel of (N, C) or (N, C, L) to mean 0 and variance 1.

    Then multiply by `weight` and add `bias`, both (C,).  In training, mean and variance
    are those of the batch, and the running ones (C,) move towards them, in place; else
    the running ones are used.

        x = torch.tensor([[1.], [3.]])
        F.batch_norm(x, None, None, training=True)      # tensor([[-1.0000], [ 1.0000]])

    Raises ValueError for a single value per channel, RuntimeError for other sizes.
    """
    channels = input.shape[1]
    if training and input.numel() == channels:
        raise ValueError(
            "Expected more than 1 value per channel when training, got input size "
            f"{input.size()}")
    given = (("running_mean", running_mean), ("running_var", running_var),
             ("weight", weight), ("bias", bias))
    for name, value in given:
        if value is not None and value.numel() != channels:
            raise RuntimeError(
                f"{name} should contain {channels} elements not {value.numel()}")
    return _batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps)[0]
