"""What layers compute: normalization, and rows looked up in a table.

Both normalizations subtract the mean over some dimensions and divide by the standard deviation.
Their formulas compute these anew from the input, so that a second derivative goes through them.
"""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.operation import differentiable
from .elementwise import sqrt
from .expansion import _sum_dim as sum
from .reduction import _mean_dim as mean
from .shape import _reshape as reshape


# --- normalization ----------------------------------------------------------------------------

def standardized(x, dims, eps):
    """Return (x - mean) / deviation over `dims`, and 1 / deviation."""
    distance = x - mean(x, dims, True)
    rstd = 1 / sqrt(mean(distance * distance, dims, True) + eps)
    return distance * rstd, rstd


def through_standardized(grad, x, dims, eps):
    """Return the gradient of x from that of `standardized(x)`."""
    result, rstd = standardized(x, dims, eps)
    return rstd * (grad - mean(grad, dims, True) - result * mean(grad * result, dims, True))


def moments(x, dims):
    """Return mean and variance over `dims`, added up in float64."""
    average = np.mean(x, axis=dims, keepdims=True, dtype=np.float64)
    variance = np.mean(np.square(x - average), axis=dims, keepdims=True)
    return average.astype(x.dtype), variance.astype(x.dtype)


def scaled_and_shifted(x, weight, bias):
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def last_dims(normalized_shape):
    return tuple(range(-len(normalized_shape), 0))


# PyTorch saves the same for all three gradients; hence the parameters that a formula does not use.

def layer_norm_input(grad, input, normalized_shape, weight, bias, eps, result1, result2):
    grad = grad if weight is None else grad * weight
    return through_standardized(grad, input, last_dims(normalized_shape), eps)


def layer_norm_weight(grad, input, normalized_shape, weight, bias, eps, result1, result2):
    return grad * standardized(input, last_dims(normalized_shape), eps)[0]


@differentiable("NativeLayerNormBackward0", outputs=("result0", "result1", "result2"),
                input=layer_norm_input, weight=layer_norm_weight, bias=lambda grad: grad)
def layer_norm(input, normalized_shape, weight, bias, eps):
    """Return the result, the mean and 1 / deviation."""
    average, variance = moments(input, last_dims(normalized_shape))
    rstd = 1 / np.sqrt(variance + input.dtype.type(eps))
    return scaled_and_shifted((input - average) * rstd, weight, bias), average, rstd


def all_but_channels(x):
    """Return every dimension but 1, that of the channels."""
    return (0, *range(2, len(x.shape)))


def along_channels(x, like):
    """Return `x` (C,) in a shape that broadcasts along dimension 1 of `like`; None stays None."""
    return None if x is None else reshape(x, (1, -1, *[1] * (len(like.shape) - 2)))


def batch_norm_input(grad, input, weight, running_mean, running_var, training, eps,
                     result1, result2):
    grad = grad if weight is None else grad * along_channels(weight, input)
    if training:
        return through_standardized(grad, input, all_but_channels(input), eps)
    return grad / sqrt(along_channels(running_var, input) + eps)


def batch_norm_weight(grad, input, weight, running_mean, running_var, training, eps,
                      result1, result2):
    dims = all_but_channels(input)
    if training:
        return sum(grad * standardized(input, dims, eps)[0], dims, False)
    distance = input - along_channels(running_mean, input)
    return sum(grad * distance / sqrt(along_channels(running_var, input) + eps), dims, False)


@differentiable("NativeBatchNormBackward0", outputs=("result0", "result1", "result2"),
                input=batch_norm_input, weight=batch_norm_weight,
                bias=lambda grad: sum(grad, all_but_channels(grad), False),
                running_mean=None, running_var=None)
def batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    """Return the result, and in training the batch's mean and 1 / deviation.

    In training, the running mean and variance move towards those of this batch, in place.
    """
    if training:
        average, variance = moments(input, all_but_channels(input))
        if running_mean is not None:
            count = input.size // input.shape[1]
            unbiased = variance.reshape(-1) * (count / (count - 1))
            running_mean += momentum * (average.reshape(-1) - running_mean)
            running_var += momentum * (unbiased - running_var)
    else:
        average, variance = along_channels(running_mean, input), along_channels(running_var, input)
    rstd = 1 / np.sqrt(variance + input.dtype.type(eps))
    weight, bias = along_channels(weight, input), along_channels(bias, input)
    result = scaled_and_shifted((input - average) * rstd, weight, bias)
    if training:
        return result, average.reshape(-1), rstd.reshape(-1)
    return result, np.zeros(0, input.dtype), np.zeros(0, input.dtype)


# --- rows of a table --------------------------------------------------------------------------

@differentiable("EmbeddingBackward0",
                weight=lambda grad, indices, weight_size0, padding_idx:
                embedding_dense_backward(grad, indices, weight_size0, padding_idx),
                indices=None)
def embedding(weight, indices, padding_idx):
    """Return the rows that `indices` name; row `padding_idx` takes no gradient (-1: every row does)."""
    if indices.dtype not in (dtypes.INT64, np.int32):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
            f"Long, Int; but got {dtypes.BY_NUMPY[indices.dtype].tensor_type} instead (while checking "
            "arguments for embedding)")
    if indices.size and not 0 <= indices.min() <= indices.max() < len(weight):
        raise IndexError("index out of range in self")
    return weight.take(indices, 0)


@differentiable("EmbeddingDenseBackwardBackward0",
                grad_output=lambda grad, indices, padding_idx:
                embedding(grad, indices, padding_idx) * (indices != padding_idx)[..., None],
                indices=None)
def embedding_dense_backward(grad_output, indices, num_weights, padding_idx):
    result = np.zeros((num_weights, grad_output.shape[-1]), grad_output.dtype)
    np.add.at(result, indices, grad_output)
    if padding_idx >= 0:
        result[padding_idx] = 0
    return result
